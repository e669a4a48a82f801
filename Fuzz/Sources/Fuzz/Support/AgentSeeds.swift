import MildamWire

@testable import MildamKeychain
@testable import MildamSystem

/// What programs ask an agent, and what it answers.
enum AgentSeeds {
    static let all: [[UInt8]] = {
        var seeds: [[UInt8]] = []
        for request in requests { seeds.append([0] + request.wireBytes) }
        for reply in replies { seeds.append([1] + reply.wireBytes) }
        seeds.append([2] + framed([.state, .delete(anywhere)]))
        seeds.append([2] + framed([.lock]) + [0, 0, 0, 9, 1])
        for conversation in conversations {
            seeds.append([3] + conversation.flatMap { caller, request in [caller] + request.wireBytes })
        }
        return seeds
    }()

    private static func password(_ account: String, group: String? = nil) -> NewItem {
        var item = NewItem(
            .genericPassword,
            [.account: .text(account), .service: "s", .isInvisible: false],
            secret: SecretValue(text: "x")
        )
        item.accessGroup = group
        return item
    }

    private static var anywhere: KeychainQuery {
        var query = KeychainQuery(.genericPassword, [.service: "s"])
        query.synchronizable = .any
        return query
    }

    private static let identifier: KeychainIdentifier = {
        guard let identifier = KeychainIdentifier([UInt8](repeating: 3, count: 16)) else { fatalError("16 bytes") }
        return identifier
    }()
    private static let first = ItemReference(keychain: identifier, number: 1)
    private static let grant = AccessGrant(ProgramIdentity(executable: "/bin/b", user: 1), "program:/bin/a")

    private static let change: ItemChange = {
        var change = ItemChange([.label: "l", .isInvisible: nil], secret: SecretValue(text: "y"))
        change.accessibility = .afterFirstUnlock
        change.accessGroup = "g"
        change.isSynchronizable = true
        return change
    }()

    private static let requests: [AgentRequest] = {
        var query = KeychainQuery(first)
        query.accessGroup = "g"
        query.accessibility = .whenUnlocked
        return [
            .state, .unlock(.passphrase(SecretValue(text: "p"))), .unlock(.recoveryCode(RecoveryCode())),
            .add(password("a", group: "g")), .copyMatching(query, limit: .one, returningSecrets: true),
            .update(anywhere, change), .grant(grant), .hello, .close, .readable, .trash(first),
            .replace(first, change, unlessChangedSince: nil), .replace(first, change, unlessChangedSince: 1),
            .past(of: first), .past(of: nil), .pastSecret(2), .restore(2), .forget(2), .forget(nil), .erase(first),
        ]
    }()

    private static let replies: [AgentReply] = {
        let item = KeychainItem(
            reference: first,
            itemClass: .genericPassword,
            accessGroup: "g",
            isSynchronizable: false,
            accessibility: .whenUnlocked,
            attributes: [.account: "a", .creationDate: .date(1)],
            secret: SecretValue(text: "x")
        )
        var report = KeychainReport()
        report.items = 2
        report.damaged = [2]
        report.problem = .changedFromOutside(reason: "r")
        let record = AuditRecord(time: 1, event: .granted, program: grant.program, group: "g")
        let known = KeychainItem(
            reference: first,
            itemClass: .key,
            accessGroup: "g",
            isSynchronizable: true,
            accessibility: .afterFirstUnlock,
            attributes: [.label: "l"],
            secret: nil
        )
        let past = PastItem(number: 2, item: known, time: 1, isRemoved: true)
        return [
            .done, .failed(.tooManyTries(seconds: 2)), .failed(.agent(reason: "r")),
            .state(.locked, identifier, .unknown(reason: "r")),
            .reference(first), .items([item, item]), .count(1), .report(report), .grants([grant]),
            .auditLog([record]), .past([past]), .secret(SecretValue(text: "x")), .failed(.damagedPast(number: 2)),
            .agent(
                AgentInfo(
                    version: "1.2.3",
                    executable: "/bin/a",
                    keychain: "/k",
                    file: FileIdentity(device: 1, number: 2),
                    isOwner: true,
                    isReplaced: false
                )
            ),
        ]
    }()

    /// 0 is the owner, 1 and 2 are other programs.
    private static let conversations: [[(UInt8, AgentRequest)]] = {
        let all = AgentRequest.copyMatching(anywhere, limit: .all, returningSecrets: true)
        var theirs = anywhere
        theirs.accessGroup = grant.group
        let shared = AgentRequest.copyMatching(theirs, limit: .all, returningSecrets: true)
        return [
            [(0, .add(password("a"))), (0, .set(password("a"))), (0, all), (0, .update(anywhere, change)), (0, all)],
            [(1, .add(password("a"))), (0, .set(password("a"))), (2, .add(password("a"))), (0, .set(password("a")))],
            [(1, .add(password("a"))), (2, all), (2, shared), (0, .grant(grant)), (2, shared), (0, .auditLog)],
            [
                (1, .add(password("a"))), (0, .add(password("b"))), (1, .delete(anywhere)), (0, .verify), (1, all),
                (0, .revoke(grant)), (0, .delete(KeychainQuery(first))),
            ],
            [
                (0, .add(password("a"))), (0, .lock), (0, all), (0, .unlock(.enclaveUnattended)), (0, .state),
                (0, .copyMatching(KeychainQuery(first), limit: .all, returningSecrets: false)), (0, .grants),
            ],
            [(0, .hello), (1, .hello), (1, .stop), (2, .add(password("a")))],
            [
                (0, .add(password("a"))), (0, .replace(first, change, unlessChangedSince: nil)), (0, .past(of: first)),
                (1, .pastSecret(2)), (0, .pastSecret(2)), (0, .restore(2)), (0, .trash(first)), (0, .restore(3)),
            ],
            [
                (0, .add(password("a"))), (0, .replace(first, change, unlessChangedSince: 1)), (1, .erase(first)),
                (0, .replace(first, change, unlessChangedSince: nil)), (0, .erase(first)), (0, .past(of: nil)),
            ],
            [
                (1, .add(password("a"))), (0, .trash(first)), (2, .past(of: nil)), (1, .past(of: nil)),
                (1, .add(password("a"))), (1, .restore(2)), (0, .lock), (0, .restore(2)), (0, .forget(nil)),
            ],
            [
                (0, .add(password("a"))), (0, .update(anywhere, change)), (0, .lock), (1, .readable), (1, .close),
                (0, all), (1, .readable), (0, .unlock(.enclaveUnattended)), (0, all),
            ],
        ]
    }()

    private static func framed(_ requests: [AgentRequest]) -> [UInt8] {
        requests.flatMap { request in
            let bytes = request.wireBytes
            return [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
        }
    }
}
