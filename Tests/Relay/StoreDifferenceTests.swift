import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// The same random operations on every store, in batches: equal answers, and equal rows after each batch. The store that loads
/// what is missing takes each operation alone: how operations share batches changes nothing.
@Suite("Random operations on every store", .timeLimit(.minutes(30)))
struct StoreDifferenceTests {
    /// What is gone is kept as well, and all of it is compared after each batch: many short lives cost less than a long one.
    @Test("answers and rows are equal", arguments: 0..<Count.of(few: 1, full: 20))
    func random(_ life: Int) throws {
        var quota = RelayQuota()
        quota.accountRooms = 12
        quota.mailboxItems = 4
        quota.requestItems = 3
        quota.senderRequests = 2
        quota.standings = 2
        quota.links = 2
        quota.accountBlobs = 4
        quota.roomBytes = 4_000
        quota.accountBytes = 4_500_000
        quota.networkBytes = 9 * DiskUsage.piece
        quota.roomMembers = 3
        var paths: [TestedStore: TemporaryFolder] = [:]
        var transactors: [TestedStore: Transactor] = [:]
        for store in TestedStore.allCases {
            let folder = try TemporaryFolder()
            paths[store] = folder
            transactors[store] = try store.transactor(at: folder.file("relay.db"), quota)
        }
        var operations = try RandomOperations(Seed.generator(for: "stores \(life)"))
        var (done, accepted) = (0, 0)
        var kinds: Set<String> = []
        // A store that refuses everything is equal to another: so many have to be accepted, whatever the seed.
        while done < Count.of(few: 400, full: 500) || accepted < Count.of(few: 150, full: 200) {
            try #require(done < 2_000, "only \(accepted) of \(done) were accepted")
            let model = try #require(paths[.model]).file("relay.db")
            let steps = try operations.batch(ModelStore.at(model).rows)
            var answers: [TestedStore: [ScriptStep.Outcome]] = [:]
            for (store, transactor) in transactors {
                let batches = store == .loading ? steps.map { [$0] } : [steps]
                answers[store] = try batches.flatMap { steps in
                    try transactor.batch(steps, at: operations.now, prefetches: store == .model)
                }
            }
            let told = ModelStore.at(model).rows
            try #require(told.usages == told.recounted, "what accounts have caused, after operation \(done)")
            let names = steps.map(\.name).joined(separator: ", ")
            let dump = try #require(try paths[.model].map { try TestedStore.model.dump(at: $0.file("relay.db")) })
            for store in TestedStore.allCases {
                let rows = try #require(try paths[store].map { try store.dump(at: $0.file("relay.db")) })
                try #require(answers[store] == answers[.model], "\(store), operation \(done): \(names)")
                try #require(rows == dump, "\(store), operation \(done): \(names)")
                let readings = try paths[store].map { try store.reads(at: $0.file("relay.db")).everything(of: dump) }
                let expected = try paths[.model].map {
                    try TestedStore.model.reads(at: $0.file("relay.db")).everything(of: dump)
                }
                try #require(readings == expected, "\(store), reads after operation \(done): \(names)")
            }
            for (step, outcome) in zip(steps, answers[.model] ?? []) where outcome.code == "ok" {
                accepted += 1
                kinds.insert(step.name)
            }
            done += steps.count
        }
        #expect(kinds.count >= 20, "\(kinds.sorted())")
        for transactor in transactors.values { transactor.lane.close() }
    }
}

/// Draws operations that make sense for what the store holds, more often than not.
private struct RandomOperations {
    var generator: SeededGenerator
    /// Milliseconds since 1970.
    var now: Int64 = 1_700_000_000_000
    private var people: [ScriptPerson]
    private var rooms: [RoomID]
    private var named = 4
    private let blobs: [BlobID]
    private let ids: [MessageID]
    private let secret = SymmetricKey(data: Data(repeating: 3, count: SealedCodeSecret.secretSize))
    private let codeKeys = CodeKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
    private let refreshKeys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
    private let secrets = (0..<3).map { _ in SecureRandom.data(count: Limits.linkSecret) }
    private let standings = (0..<4).map { _ in StandingID.random() }
    private let recovery = (0..<3).map { _ in RecoveryCode.random() }
    /// Refresh tokens of sessions, as they were handed out.
    private var tokens: [SessionID: [[UInt8]]] = [:]

    init(_ generator: SeededGenerator) throws {
        self.generator = generator
        people = try (0..<4).map { try ScriptPerson("person\($0)") }
        rooms = (0..<5).map { _ in .random() }
        blobs = (0..<4).map { _ in .random() }
        ids = (0..<6).map { _ in .random() }
    }

    mutating func batch(_ rows: ModelRows) throws -> [ScriptStep] {
        now += Int64.random(in: 0..<40_000, using: &generator)
        // Now and then a month goes by.
        if chance(60) { now += 31 * 86_400_000 }
        // Whoever is no more, and rooms that everybody has left, make room for others some time later.
        for index in people.indices where rows.accounts[people[index].account]?.bundle.isEmpty == true && chance(5) {
            people[index] = try ScriptPerson("person\(named)")
            named += 1
        }
        for index in rooms.indices where rows.rooms[rooms[index]]?.members.isEmpty == true && chance(5) {
            rooms[index] = .random()
        }
        return try (0..<Int.random(in: 1...8, using: &generator)).map { _ in try step(rows) }
    }

    private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &generator) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    /// Somebody, with the session that they have.
    private mutating func somebody(_ rows: ModelRows) -> (person: ScriptPerson, sender: Sender) {
        let person = pick(people)
        let session = chance(12) ? nil : rows.sessions[person.address]?.id
        return (
            person,
            Sender(account: person.account, device: person.device, session: session ?? person.session, expires: 0)
        )
    }

    private func login(_ person: ScriptPerson, _ rows: ModelRows) -> CheckedLogin {
        let verifier = rows.accounts[person.account]?.verifier ?? person.verifier
        return CheckedLogin(address: person.address, verifier: verifier, key: person.key)
    }

    private mutating func check(_ person: ScriptPerson, _ rows: ModelRows) throws -> FactorCheck {
        var presented: PresentedFactor?
        if rows.factors[person.account]?.isActive == true, !chance(8) {
            presented = chance(3) ? .recovery(pick(recovery).text) : .code(try code(person))
        }
        return FactorCheck(address: person.address, presented: presented, keys: codeKeys)
    }

    private mutating func code(_ person: ScriptPerson) throws -> String {
        guard let token = SecondFactor.token(secret, of: person.handle), !chance(6) else { return "000000" }
        return token.code(at: UInt64(now / 1000))
    }

    private mutating func family() -> RefreshFamily {
        let token = generator.bytes(32)
        let family = RefreshFamily(session: .random(), first: token, at: now / 1000)
        tokens[family.session] = [token]
        return family
    }

    private mutating func step(_ rows: ModelRows) throws -> ScriptStep {
        let (person, sender) = somebody(rows)
        // One of their own, more often than not.
        let joined = rooms.filter { rows.rooms[$0]?.members[person.account] != nil }
        let (room, blob) = (pick(joined.isEmpty || chance(5) ? rooms : joined), pick(blobs))
        let tombstone: @Sendable (Handle) -> String = { "gone:\($0.text)" }
        switch Int.random(in: 0..<40, using: &generator) {
        case 0, 1:
            let token = generator.bytes(32)
            tokens[person.session] = [token]
            return ScriptStep(
                "register",
                Register(
                    registration: person.registration,
                    family: RefreshFamily(session: person.session, first: token, at: now / 1000),
                    thumbprint: nil,
                    tombstone: tombstone(person.handle),
                    network: chance(4) ? nil : NetworkID(bytes: [person.account.bytes[0] & 1])
                )
            )
        case 2: return ScriptStep("create room", ScriptGroup.create(pick(rooms), by: sender))
        case 3...10 where rows.rooms[room] == nil && !chance(4):
            return ScriptStep("create room", ScriptGroup.create(room, by: sender))
        case 3, 4, 5, 6: return say(room, sender, rows)
        case 7, 8, 9, 10: return change(room, sender, rows)
        case 11, 12:
            let login = LogIn(
                login: login(person, rows),
                family: family(),
                thumbprint: chance(2) ? "k" : nil,
                factor: try check(person, rows)
            )
            return ScriptStep("log in", login)
        case 13, 14, 15: return refresh(rows.sessions[person.address] ?? nil, sender)
        case 16:
            let session = rows.sessions[person.address]?.id ?? person.session
            let token = RefreshToken(session: session, secret: tokens[session]?.last ?? [1])
            return ScriptStep("revoke", Revoke(token: token))
        case 17: return ScriptStep("log out", LogOut(session: sender.session, address: person.address))
        case 18: return ScriptStep("end session", EndSession(session: sender.session, sender: sender))
        case 19: return ScriptStep("end others", EndOtherSessions(sender: sender))
        case 20:
            let operation = ChangePassword(
                login: login(person, rows),
                sender: sender,
                verifier: SaltedVerifier(of: Data(generator.bytes(32))),
                factor: try check(person, rows)
            )
            return ScriptStep("change password", operation)
        case 21:
            let enrol = EnrolFactor(login(person, rows), by: sender, secret: secret, keys: codeKeys)
            return ScriptStep("enrol", enrol)
        case 22, 23:
            let verifiers = recovery.map(\.verifier)
            let confirm = ConfirmFactor(code: try code(person), sender: sender, recovery: verifiers, keys: codeKeys)
            return ScriptStep("confirm", confirm)
        case 24:
            let factor = try check(person, rows)
            return ScriptStep(
                "remove factor",
                RemoveFactor(login: login(person, rows), sender: sender, factor: factor)
            )
        case 25:
            let next = rows.devices[person.address]?.mailbox.upperBound ?? 1
            return ScriptStep(
                "drop mailbox",
                DropMailbox(address: person.address, last: UInt64.random(in: 0...next, using: &generator))
            )
        case 26, 27:
            let known = rows.blobs[BlobName(room: room, blob: blob)]?.known.state
            // Large enough that pieces of networks are drawn and given back.
            let part = 600_000
            let size = known?.size ?? part * Int.random(in: 1...3, using: &generator)
            let piece = BlobPiece(
                room: room,
                blob: blob,
                size: size,
                offset: chance(6) ? 0 : known?.received ?? 0,
                count: part
            )
            return ScriptStep("record", RecordPiece(piece: piece, sender: person.account))
        case 28:
            var counts = [person.account: 2]
            counts[pick(people).account, default: 0] += 1
            return ScriptStep("note failures", NoteFailedLogins(counts: counts))
        case 29: return housekeeping(rows)
        case 30: return operatorsTask(person, sender)
        case 31:
            let stored = rows.accounts[person.account]?.bundle ?? []
            let renewal = DeviceRenewal(
                address: person.address,
                signatureKey: person.key,
                before: stored.isEmpty || chance(4) ? [9] : stored,
                bundle: generator.bytes(8)
            )
            return ScriptStep("renew device", RenewDevice(renewal: renewal))
        case 33...39: return consent(person, sender, room)
        default:
            guard chance(3) else { return ScriptStep("create room", ScriptGroup.create(pick(rooms), by: sender)) }
            let deletion = DeleteAccount(
                login: login(person, rows),
                sender: sender,
                factor: try check(person, rows),
                removal: person.removal()
            )
            return ScriptStep("delete account", deletion)
        }
    }

    private mutating func consent(_ person: ScriptPerson, _ sender: Sender, _ room: RoomID) -> ScriptStep {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: return ScriptStep("accept room", AcceptRoom(room: room, sender: sender))
        case 2, 3, 4:
            let request = StandingRequest(account: pick(people).account, standing: chance(2) ? .known : .blocked)
            return ScriptStep("put standing", PutStanding(id: pick(standings), sender: sender, request: request))
        case 5: return ScriptStep("delete standing", DeleteStanding(id: pick(standings), sender: sender))
        case 6, 7:
            guard let link = LinkID(secret: pick(secrets)) else { return housekeepingOfLinks(sender) }
            let expires = now / 1000 + Int64.random(in: 0..<200, using: &generator)
            return ScriptStep("put link", PutLink(link: link, sender: sender, expires: expires))
        default: return housekeepingOfLinks(sender)
        }
    }

    private mutating func housekeepingOfLinks(_ sender: Sender) -> ScriptStep {
        guard let link = LinkID(secret: pick(secrets)), chance(2) else {
            return ScriptStep("invite", MakeInvitations(count: 2, days: 1))
        }
        return ScriptStep("delete link", DeleteLink(link: link, sender: sender))
    }

    private mutating func housekeeping(_ rows: ModelRows) -> ScriptStep {
        let cutoff = now - Int64.random(in: 0..<400_000, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return ScriptStep("drop messages", DropMessages(cutoff: cutoff, start: []))
        case 1: return ScriptStep("drop blobs", DropBlobs(cutoff: cutoff))
        case 2: return ScriptStep("drop unfinished blobs", DropUnfinishedBlobs(cutoff: cutoff))
        case 3: return ScriptStep("end idle sessions", EndIdleSessions())
        default: return ScriptStep("delete remains", DeleteRemains(remains: .room(pick(rooms))))
        }
    }

    private mutating func operatorsTask(_ person: ScriptPerson, _ sender: Sender) -> ScriptStep {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            return ScriptStep("remove", OperatorRemove(handle: person.handle, tombstone: person.removal().tombstone))
        case 1..<6: return ScriptStep("reset factor", OperatorResetFactor(handle: person.handle))
        default:
            let session = chance(2) ? sender.session : nil
            return ScriptStep("operator's log out", OperatorLogOut(handle: person.handle, session: session))
        }
    }

    private mutating func refresh(_ session: SessionFact?, _ sender: Sender) -> ScriptStep {
        let id = session?.id ?? sender.session
        let known = tokens[id] ?? [[1]]
        let token = chance(5) ? pick(known) : known[known.count - 1]
        if case .advanced(_, let next)? = session?.family.present(token, keys: refreshKeys, at: now / 1000) {
            tokens[id, default: []].append(next)
        }
        let thumbprint = chance(8) ? "other" : session?.thumbprint ?? (chance(2) ? "k" : nil)
        return ScriptStep(
            "refresh",
            Refresh(token: RefreshToken(session: id, secret: token), thumbprint: thumbprint, keys: refreshKeys)
        )
    }

    private mutating func say(_ room: RoomID, _ sender: Sender, _ rows: ModelRows) -> ScriptStep {
        let text = generator.bytes(Int.random(in: 1...60, using: &generator))
        let told = rows.blobs.filter { $0.key.room == room }.keys.map(\.blob).sorted()
        let operation = ScriptGroup.say(
            text,
            in: room,
            by: sender,
            epoch: rows.rooms[room]?.epoch ?? 0,
            id: chance(2) ? pick(ids) : .random(),
            blobs: told.isEmpty || !chance(3) ? [] : [pick(told)]
        )
        return ScriptStep("say", operation)
    }

    private mutating func change(_ room: RoomID, _ sender: Sender, _ rows: ModelRows) -> ScriptStep {
        let members = rows.rooms[room]?.members ?? [:]
        let epoch = rows.rooms[room]?.epoch ?? 0
        let handshake = rows.rooms[room]?.group?.handshake ?? 0
        let inside = people.filter { members[$0.account] != nil && $0.account != sender.account }
        let outside = people.filter { members[$0.account] == nil && rows.devices[$0.address] != nil }
        func commit(
            _ name: String,
            adding added: [ScriptPerson] = [],
            removing removed: [ScriptPerson] = [],
            welcoming welcomed: [ScriptPerson] = []
        ) -> ScriptStep {
            let operation = ScriptGroup.commit(
                to: room,
                by: sender,
                epoch: epoch,
                after: handshake,
                adding: added.map(\.account),
                removing: removed.map(\.account),
                welcoming: welcomed.map(\.address)
            )
            return ScriptStep(name, operation)
        }
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            let leaving = ScriptGroup.leave(room, by: sender, epoch: epoch, after: handshake)
            return ScriptStep("leave", leaving)
        case 1 where !inside.isEmpty: return commit("put out", removing: [pick(inside)])
        case 2: return commit("welcome", welcoming: inside.filter { rows.devices[$0.address] != nil })
        case 3:
            let snapshot = QuietSnapshot(
                generation: 1,
                epoch: epoch,
                handshake: handshake,
                account: sender.account,
                bytes: [7, 7]
            )
            return ScriptStep("snapshot", PutSnapshot(room: room, snapshot: snapshot))
        default:
            guard !outside.isEmpty else { return say(room, sender, rows) }
            let new = pick(outside)
            return commit("add", adding: [new], welcoming: [new])
        }
    }
}
