import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// One step of a script: an operation, and what is to come of it.
struct ScriptStep: Sendable {
    let name: String
    /// What is to come of it: "ok", or the refusal's code.
    let expected: String
    let prefetch: [FactKey]
    /// Performs it and says what came of it.
    let run: @Sendable (Transactor) throws(StorageError) -> Outcome

    struct Outcome: Equatable, Sendable {
        /// "ok", or the refusal's code.
        let code: String
        /// The answer as text.
        let answer: String
    }

    init<Operation: StoreOperation>(_ name: String, _ operation: Operation, _ refusal: APIErrorCode? = nil) {
        self.name = name
        expected = refusal?.rawValue ?? "ok"
        prefetch = operation.prefetch
        run = { transactor throws(StorageError) in Outcome(try transactor.perform(operation)) }
    }
}

extension ScriptStep.Outcome {
    init<Value>(_ result: Result<Value, APIError>) {
        switch result {
        case .success(let value): self.init(code: "ok", answer: "\(value)")
        case .failure(let error): self.init(code: error.code.rawValue, answer: "\(error)")
        }
    }
}

/// A store that is held against the others.
enum TestedStore: String, CaseIterable, Sendable {
    /// SQLite, which is asked for each fact when it is needed.
    case sqlite
    /// SQLite, which loads what is missing and is judged again, as a store that is far away.
    case loading
    /// ``ModelStore``.
    case model

    func transactor(at path: String, _ quota: RelayQuota) throws -> Transactor {
        let store = SQLiteStore(path: path, synchronous: .off)
        let lane: any CommitLane =
            switch self {
            case .sqlite: try SQLiteLane(path: path, options: store.options)
            case .loading: try SQLiteLane(path: path, options: store.options, loadsOnDemand: false)
            case .model: ModelStore.at(path).openLane()
            }
        return try Transactor(lane, quota: quota)
    }

    func reads(at path: String) throws -> any RelayReads {
        switch self {
        case .sqlite, .loading: try SQLiteReads(path: path)
        case .model: ModelReads(ModelStore.at(path))
        }
    }

    func dump(at path: String) throws -> StoreDump {
        switch self {
        case .sqlite, .loading: try StoreDump(path: path)
        case .model: StoreDump(ModelStore.at(path).rows)
        }
    }
}

extension Transactor {
    /// Performs steps in one batch.
    ///
    /// - Parameter prefetches: whether the store is told before what will be asked for.
    func batch(_ steps: [ScriptStep], at now: Int64, prefetches: Bool) throws -> [ScriptStep.Outcome] {
        try begin(prefetches ? steps.map(Prefetching.init) : [], at: now)
        var outcomes: [ScriptStep.Outcome] = []
        for step in steps { outcomes.append(try step.run(self)) }
        _ = try commit()
        return outcomes
    }
}

extension RelayReads {
    /// What every read says of everybody and everything in the rows, and of what is not there.
    func everything(of dump: StoreDump) throws -> [String] {
        let accounts: [AccountID] =
            try dump.identifiers("account", 0) + [AccountID(bytes: [UInt8](repeating: 0, count: 16))]
        let rooms: [RoomID] = try dump.identifiers("room", 0) + [RoomID(bytes: [UInt8](repeating: 0, count: 16))]
        let blobs: [BlobName] = try dump.rows.filter { $0.kind == "blob" }
            .map {
                BlobName(room: try StoreDump.identifier($0.columns[0]), blob: try StoreDump.identifier($0.columns[1]))
            }
        var found: [String] = ["\(try self.accounts(after: nil))", "\(try counts())"]
        for account in accounts {
            found.append("\(try bundle(of: account) ?? [])")
            found.append("\(try records(of: [account, account]))")
            found.append("\(try sessions(of: account, current: nil))")
            found.append("\(try auditLog(of: account).entries)")
            found.append("\(try secondFactor(of: account))")
            let standings = try self.standings(of: account, after: nil)
            found.append("\(standings) \(try self.standings(of: account, after: standings.first?.id))")
            found.append("\(try self.rooms(of: account, after: nil).map { $0.state(for: account) })")
            found.append("\(try self.rooms(of: account, after: rooms.first).map(\.id))")
            for room in rooms {
                for number in [0, 1, 3, 100] as [UInt64] {
                    let messages = try self.messages(of: room, from: number, for: account)
                    found.append("\(ReadRules.judge(messages, from: number))")
                }
            }
            for blob in blobs { found.append("\(try self.blob(blob, for: account))") }
            for room in rooms {
                found.append("\(try group(of: room, for: account)) \(try groupState(of: room, for: account))")
            }
        }
        for row in dump.rows where row.kind == "account" {
            guard let handle = try? Handle(String(row.columns[1].dropFirst().dropLast())) else { continue }
            found.append("\(try bundle(of: handle) ?? []) \(try details(of: handle).map { "\($0)" } ?? "")")
        }
        for row in dump.rows where row.kind == "device" {
            let address = MailboxAddress(
                account: try StoreDump.identifier(row.columns[0]),
                device: try StoreDump.identifier(row.columns[1])
            )
            found.append("\(try login(address)?.verifier.verifier ?? [])")
            found.append("\(try stock(of: address))")
            for number in [0, 1, 2, 9] as [UInt64] {
                found.append("\(ReadRules.judge(try mailbox(address, from: number), from: number))")
            }
        }
        for session in try dump.identifiers("session", 2) as [SessionID] {
            found.append(
                try self.session(session).map { "\($0.address) \($0.family) \($0.thumbprint ?? "")" } ?? "none"
            )
        }
        for id in rooms { found.append("\(try room(id).map { "\($0.next) \($0.members.count)" } ?? "none")") }
        for id in rooms {
            found.append("\(try snapshot(of: id, generation: 1, notAfter: 1).map { "\($0)" } ?? "none")")
            for number in [0, 2] as [UInt64] { found.append("\(try handshakes(of: id, after: number))") }
        }
        for blob in blobs { found.append("\(try self.blob(blob).map { "\($0)" } ?? "none")") }
        return found
    }
}

/// Says what a step asks for.
private struct Prefetching: WaitingOperation {
    let step: ScriptStep

    var payer: Payer { .relay }
    var cost: Int { 0 }
    var prefetch: [FactKey] { step.prefetch }
    func run(on transactor: Transactor) -> @Sendable () -> Void { {} }
    func fail(_ error: APIError) {}
}

/// Somebody as the store knows them.
struct ScriptPerson: Sendable {
    let handle: Handle
    let account: AccountID
    let key: Curve25519.Signing.PublicKey
    let registration: Registration
    let verifier: SaltedVerifier
    let device: DeviceID
    let session = SessionID.random()
    let token = SecureRandom.bytes(count: 32)

    init(_ name: String) throws {
        let request = try Person.registration(name, relay: .random())
        handle = request.body.handle
        account = request.account
        device = request.keys.device
        key = request.keys.signing.publicKey
        verifier = SaltedVerifier(of: request.body.authenticator)
        registration = Registration(
            handle: handle,
            account: account,
            device: request.keys.record(relay: .random(), account: account, notAfter: 4_000_000_000),
            bundle: Array("{\"\(name)\"}".utf8),
            authenticator: request.body.authenticator,
            verifier: verifier
        )
    }

    var address: MailboxAddress { MailboxAddress(account: account, device: device) }
    var sender: Sender { Sender(account: account, device: device, session: session, expires: 0) }
    var login: CheckedLogin { CheckedLogin(address: address, verifier: verifier, key: key) }
    var refresh: RefreshToken { RefreshToken(session: session, secret: token) }

    /// The person's first session.
    func family(at now: Int64) -> RefreshFamily { RefreshFamily(session: session, first: token, at: now) }

    func register(at now: Int64, from network: NetworkID? = nil) -> Register {
        Register(
            registration: registration,
            family: family(at: now),
            thumbprint: nil,
            tombstone: "gone:\(handle.text)",
            network: network
        )
    }

    func removal() -> AccountRemoval { AccountRemoval(account: account, closing: [1, 2, 3]) { "gone:\($0.text)" } }
}
