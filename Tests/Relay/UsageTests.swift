import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// Everything that lies on the disk counts for whoever caused it, and is given back to them when it goes.
@Suite("What an account has caused")
struct UsageTests {
    private let folder: TemporaryFolder
    private let alice: ScriptPerson
    private let bob: ScriptPerson
    private let room = RoomID.random()
    private let told = BlobID.random()

    init() throws {
        folder = try TemporaryFolder()
        (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
    }

    private func transactor(_ store: TestedStore) throws -> Transactor {
        try store.transactor(at: folder.file("relay.db"), RelayQuota())
    }

    /// Operations, and what they count for alice and for bob from then on.
    private struct Step {
        let what: String
        let run: (Transactor) throws -> Bool
        let alice: DiskUsage
        let bob: DiskUsage

        init<Operation: StoreOperation>(
            _ what: String,
            _ operation: Operation,
            alice: DiskUsage = DiskUsage(),
            bob: DiskUsage = DiskUsage()
        ) {
            self.what = what
            run = { (try? $0.perform(operation).get()) != nil }
            (self.alice, self.bob) = (alice, bob)
        }
    }

    private func say(_ text: String, by person: ScriptPerson, epoch: UInt64 = 1) -> SendToGroup {
        ScriptGroup.say(Array(text.utf8), in: room, by: person.sender, epoch: epoch)
    }

    private func record(
        _ blob: BlobID,
        _ size: Int,
        _ offset: Int,
        _ count: Int,
        by person: ScriptPerson
    ) -> RecordPiece {
        let piece = BlobPiece(room: room, blob: blob, size: size, offset: offset, count: count)
        return RecordPiece(piece: piece, sender: person.account)
    }

    private func usage(of person: ScriptPerson, _ transactor: Transactor) throws -> DiskUsage {
        let account = person.account
        let asking = Doing<DiskUsage> { facts, _ throws(Missing) in .success(try facts.usage(of: account).disk) }
        return try transactor.perform(asking).get()
    }

    /// Performs the steps, in one batch or each alone, and looks after each; then looks again with nothing remembered.
    private func hold(_ steps: [Step], on store: TestedStore, inOneBatch: Bool, at now: Int64 = 1_000) throws {
        let transactor = try transactor(store)
        var (alices, bobs) = (DiskUsage(), DiskUsage())
        if inOneBatch { try transactor.begin(at: now) }
        for step in steps {
            if !inOneBatch { try transactor.begin(at: now) }
            #expect(try step.run(transactor), "\(step.what)")
            alices += step.alice
            bobs += step.bob
            #expect(try usage(of: alice, transactor) == alices, "alice: \(step.what)")
            #expect(try usage(of: bob, transactor) == bobs, "bob: \(step.what)")
            if !inOneBatch { _ = try transactor.commit() }
        }
        if inOneBatch { _ = try transactor.commit() }
        transactor.lane.close()
        let again = try self.transactor(store)
        try again.begin(at: now)
        #expect(try usage(of: alice, again) == alices)
        #expect(try usage(of: bob, again) == bobs)
        again.abort()
        again.lane.close()
    }

    private var beginning: [Step] {
        [
            Step("alice", alice.register(at: 1), alice: .row(alice.registration.bundle.count)),
            Step("alice again", alice.register(at: 1)),
            Step("bob", bob.register(at: 1), bob: .row(bob.registration.bundle.count)),
            Step(
                "a room, its member and its group",
                ScriptGroup.create(room, by: alice.sender),
                alice: .init(bytes: ScriptGroup.roomBytes, rooms: 1)
            ),
            Step("the room again", ScriptGroup.create(room, by: alice.sender)),
            Step("a message", say("text", by: alice, epoch: 0), alice: .init(bytes: 260)),
            Step(
                "bob comes: a commit, a Welcome, alice's share of his mailbox, and a member of her room",
                ScriptGroup.commit(
                    to: room,
                    by: alice.sender,
                    adding: [bob.account],
                    welcoming: [bob.address]
                ),
                alice: .init(bytes: 257 + Self.welcome + 256 + 256)
            ),
            Step("bob's message", say("hello", by: bob), bob: .init(bytes: 261)),
        ]
    }

    /// What an item with a Welcome of one byte counts.
    private static let welcome = 256 + ScriptGroup.itemBytes(1)
    /// What the GroupInfo counts that a room's group has.
    private static let groupInfo = 256 + Limits.groupInfo
    /// What the snapshot of a group that begins counts.
    private static let snapshot = 257

    private static let ways = TestedStore.allCases.flatMap { [($0, true), ($0, false)] }

    @Test("each row counts for whoever caused it, until it goes", arguments: ways)
    func rows(_ store: TestedStore, _ inOneBatch: Bool) throws {
        let (blob, other) = (BlobID.random(), BlobID.random())
        let renewal = DeviceRenewal(
            address: alice.address,
            signatureKey: alice.key,
            before: alice.registration.bundle,
            bundle: [UInt8](repeating: 7, count: 100)
        )
        let grown = 100 - alice.registration.bundle.count
        let steps =
            beginning + [
                Step("a file, whole from its first piece on", record(blob, 1_000, 0, 400, by: bob), bob: .blob(1_000)),
                Step("its second", record(blob, 1_000, 400, 600, by: bob)),
                Step("alice's file", record(other, 7, 0, 7, by: alice), alice: .blob(7)),
                Step("new records", RenewDevice(renewal: renewal), alice: .init(bytes: grown)),
                Step("new records again", RenewDevice(renewal: renewal)),
                Step(
                    "bob has read his mailbox: what alice sent is hers again",
                    DropMailbox(address: bob.address, last: 1),
                    alice: .init(bytes: -Self.welcome - 256)
                ),
                Step(
                    "bob leaves",
                    ScriptGroup.leave(room, by: bob.sender, epoch: 1, after: 2),
                    bob: .init(bytes: 257)
                ),
                Step(
                    "a commit names him",
                    ScriptGroup.commit(to: room, by: alice.sender, epoch: 1, after: 4, removing: [bob.account]),
                    alice: .init(bytes: 257 - 256)
                ),
                // The room's messages go but for the last, and so do its GroupInfo, its snapshot and its files; the rows of the
                // room and its group stay.
                Step(
                    "so does alice",
                    ScriptGroup.leave(room, by: alice.sender, epoch: 2, after: 5),
                    alice: .init(
                        bytes: 257 - 256 - 260 - 257 - 257 - Self.groupInfo - Self.snapshot - 263,
                        blobs: -1
                    ),
                    bob: .init(bytes: -261 - 257 - 1_256, blobs: -1)
                ),
                Step(
                    "alice is removed",
                    OperatorRemove(handle: alice.handle) { "gone:\($0.text)" },
                    alice: .init(bytes: -100)
                ),
            ]
        try hold(steps, on: store, inOneBatch: inOneBatch)
    }

    @Test("what goes with time, and with an account, is given back to each", arguments: ways)
    func time(_ store: TestedStore, _ inOneBatch: Bool) throws {
        let steps =
            beginning + [
                Step("alice's last", say("last", by: alice), alice: .init(bytes: 260)),
                Step("a whole file", record(told, 9, 0, 9, by: bob), bob: .blob(9)),
                Step(
                    "which bob tells of",
                    ScriptGroup.say([1], in: room, by: bob.sender, epoch: 1, blobs: [told]),
                    bob: .init(bytes: 257)
                ),
                Step("one that is not", record(.random(), 900, 0, 9, by: bob), bob: .blob(900)),
                Step("unfinished ones go", DropUnfinishedBlobs(cutoff: 2_000), bob: -.blob(900)),
                Step("whole ones go", DropBlobs(cutoff: 2_000), bob: -.blob(9)),
                Step(
                    "a snapshot, without which the commit stays, of alice's who made that",
                    PutSnapshot(
                        room: room,
                        snapshot: QuietSnapshot(
                            generation: 1,
                            epoch: 1,
                            handshake: 2,
                            account: alice.account,
                            bytes: [7, 7]
                        )
                    ),
                    alice: .row(2)
                ),
                Step(
                    "messages go, but for the last, and the first snapshot",
                    DropMessages(cutoff: 2_000, start: []),
                    alice: .init(bytes: -260 - 257 - 260 - Self.snapshot),
                    bob: .init(bytes: -261)
                ),
                Step(
                    "bob is removed, and with him his mailbox and his place in alice's room",
                    OperatorRemove(handle: bob.handle) { "gone:\($0.text)" },
                    alice: .init(bytes: -Self.welcome - 256 - 256),
                    bob: .init(bytes: -bob.registration.bundle.count)
                ),
            ]
        try hold(steps, on: store, inOneBatch: inOneBatch)
    }

    @Test(
        "what is refused counts nothing, and neither does a message that is sent again",
        arguments: TestedStore.allCases
    )
    func nothing(_ store: TestedStore) throws {
        let message = say("once", by: alice)
        let refused = Doing<Void> { [alice, room] facts, _ throws(Missing) in
            facts.make(Room(id: .random(), creator: alice.account, members: [alice.account: 1]))
            _ = try facts.room(room)
            return .failure(.unknownRoom)
        }
        let transactor = try transactor(store)
        defer { transactor.lane.close() }
        try transactor.begin(at: 1)
        for step in beginning { #expect(try step.run(transactor)) }
        _ = try transactor.perform(message).get()
        let before = try usage(of: alice, transactor)
        #expect(throws: APIError.self) { try transactor.perform(refused).get() }
        #expect(try transactor.perform(message).get().number == 4)
        #expect(try usage(of: alice, transactor) == before)
        _ = try transactor.commit()
        #expect(try transactor.alone(message).get().number == 4)
        try transactor.begin(at: 1)
        _ = try transactor.perform(say("undone", by: alice)).get()
        transactor.abort()
        try transactor.begin(at: 1)
        #expect(try usage(of: alice, transactor) == before)
    }

    @Test("a batch writes one row for each account, in the order of their ids")
    func once() throws {
        let path = folder.file("relay.db")
        let lane = try SQLiteLane(path: path, options: SQLiteStore(path: path, synchronous: .off).options)
        defer { lane.close() }
        let transactor = try Transactor(lane)
        try transactor.begin(at: 1)
        for step in beginning { #expect(try step.run(transactor)) }
        _ = try transactor.commit()
        try lane.database.execute("CREATE TEMP TABLE written (account BLOB)")
        try lane.database.execute(
            """
            CREATE TEMP TRIGGER counting AFTER UPDATE ON main.usage
            BEGIN INSERT INTO written VALUES (new.account); END
            """
        )
        try transactor.begin(at: 1)
        for person in [alice, bob, alice, alice, bob] { _ = try transactor.perform(say("x", by: person)).get() }
        _ = try transactor.commit()
        let written: [AccountID] = try lane.database.rows("SELECT account FROM written ORDER BY rowid") {
            row throws(StorageError) in try row.identifier(0)
        }
        #expect(written == [alice.account, bob.account].sorted())
    }
}
