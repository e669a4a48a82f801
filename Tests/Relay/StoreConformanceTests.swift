import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// Each operation accepted, refused in every way, and repeated. The same script runs step by step, in pairs and as one
/// batch, with facts that are told before and with facts that are missing at each look, on each store. Every run has to
/// come to the same answers and the same rows.
@Suite("What a store has to do", .timeLimit(.minutes(5)))
struct StoreConformanceTests {
    static let now: Int64 = 1_700_000_000_000

    var quota: RelayQuota {
        var quota = RelayQuota()
        quota.accountRooms = 3
        quota.mailboxItems = 2
        quota.senderItems = 4
        quota.senderBytes = 400
        quota.requestItems = 3
        quota.requestBytes = 240
        quota.senderRequests = 2
        quota.senderRequestBytes = 120
        quota.fullParts = 1
        quota.standings = 2
        quota.links = 2
        quota.accountBlobs = 2
        quota.accountBytes = 1_000_000
        quota.roomBytes = 2_000
        return quota
    }

    /// Runs a script in every way on every store.
    func hold(_ steps: [ScriptStep], _ setUp: [ScriptStep] = []) throws {
        try hold([(Self.now, setUp), (Self.now + 1_000, steps)])
    }

    func hold(_ parts: [(now: Int64, steps: [ScriptStep])]) throws {
        var first: (dump: StoreDump, answers: [ScriptStep.Outcome], readings: [String])?
        for store in TestedStore.allCases {
            for size in [1, 2, .max] {
                for prefetches in [true, false] {
                    let folder = try TemporaryFolder()
                    let path = folder.file("relay.db")
                    let transactor = try store.transactor(at: path, quota)
                    var outcomes: [ScriptStep.Outcome] = []
                    for (now, steps) in parts {
                        for batch in steps.batches(of: size) {
                            outcomes += try transactor.batch(batch, at: now, prefetches: prefetches)
                        }
                    }
                    let run = "\(store), batches of \(size), prefetch \(prefetches)"
                    for (step, outcome) in zip(parts.flatMap(\.steps), outcomes) {
                        #expect(outcome.code == step.expected, "\(step.name): \(outcome.answer); \(run)")
                    }
                    let dump = try store.dump(at: path)
                    if store == .model {
                        let rows = ModelStore.at(path).rows
                        #expect(rows.usages == rows.recounted, "\(run)")
                    }
                    if let first {
                        #expect(dump == first.dump, "\(run)")
                        #expect(outcomes == first.answers, "\(run)")
                    }
                    let readings = try store.reads(at: path).everything(of: dump)
                    if let first { #expect(readings == first.readings, "\(run)") }
                    first = first ?? (dump, outcomes, readings)
                    transactor.lane.close()
                }
            }
        }
    }

    func send(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        id: MessageID = .random(),
        epoch: UInt64 = 0,
        _ text: String = "text",
        blobs: [BlobID] = [],
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let text = Array(text.utf8)
        let operation = ScriptGroup.say(text, in: room, by: person.sender, epoch: epoch, id: id, blobs: blobs)
        return ScriptStep(name, operation, refusal)
    }

    func make(_ room: RoomID, by person: ScriptPerson) -> ScriptStep { make("room", room, by: person) }

    func make(_ name: String, _ room: RoomID, by person: ScriptPerson) -> ScriptStep {
        ScriptStep(name, ScriptGroup.create(room, by: person.sender))
    }

    func registered(_ people: ScriptPerson...) -> [ScriptStep] {
        people.map { ScriptStep("register \($0.handle)", $0.register(at: Self.now / 1000)) }
    }

    @Test("rooms and messages")
    func rooms() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, id) = (RoomID.random(), MessageID.random())
        let nobody = try ScriptPerson("nobody")
        let (adding, bobs) = (MessageID.random(), MessageID.random())
        func create(_ name: String, _ room: RoomID, by person: ScriptPerson, _ refusal: APIErrorCode?) -> ScriptStep {
            ScriptStep(name, ScriptGroup.create(room, by: person.sender), refusal)
        }
        func add(
            _ name: String,
            _ person: ScriptPerson,
            epoch: UInt64,
            after handshake: UInt64,
            id: MessageID = .random(),
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let commit = ScriptGroup.commit(
                to: room,
                by: alice.sender,
                epoch: epoch,
                after: handshake,
                adding: [person.account],
                welcoming: [person.address],
                id: id
            )
            return ScriptStep(name, commit, refusal)
        }
        func remove(_ name: String, epoch: UInt64, after handshake: UInt64) -> ScriptStep {
            let commit = ScriptGroup.commit(
                to: room,
                by: alice.sender,
                epoch: epoch,
                after: handshake,
                removing: [bob.account]
            )
            return ScriptStep(name, commit)
        }
        func leave(_ name: String, _ person: ScriptPerson, epoch: UInt64, after handshake: UInt64) -> ScriptStep {
            ScriptStep(name, ScriptGroup.leave(room, by: person.sender, epoch: epoch, after: handshake))
        }
        let steps: [ScriptStep] = [
            make("create", room, by: alice), make("create again", room, by: alice),
            create("taken", room, by: bob, .roomTaken),
            make("second", .random(), by: alice), make("third", .random(), by: alice),
            create("too many", .random(), by: alice, .quotaExceeded),
            send("first", alice, room, id: id), send("repeated", alice, room, id: id),
            send("reused id", alice, room, id: id, "other", .idReused),
            send("the id of another device", bob, room, id: id, "text", .notAMember),
            send("no such room", alice, .random(), "text", .unknownRoom),
            send("stale", alice, room, epoch: 1, "text", .staleEpoch),
            add("add nobody", nobody, epoch: 0, after: 0, .unknownAccount),
            add("not held against what is there", bob, epoch: 0, after: 7, .proposalsDue),
            add("add", bob, epoch: 0, after: 0, id: adding), add("add repeated", bob, epoch: 0, after: 0, id: adding),
            send("bob", bob, room, id: bobs, epoch: 1),
            remove("remove", epoch: 1, after: 2),
            send("bob is out", bob, room, epoch: 2, "text", .notAMember),
            send("what bob has said has its number", bob, room, id: bobs, epoch: 1),
            send("so has what alice has said", alice, room, id: id),
            add("add again", bob, epoch: 2, after: 4),
            leave("bob leaves", bob, epoch: 3, after: 5),
            send("a commit is due", alice, room, epoch: 3, "text", .proposalsDue),
            remove("it names him", epoch: 3, after: 6),
            add("full mailbox", bob, epoch: 4, after: 7, .quotaExceeded),
            ScriptStep("bob empties it", DropMailbox(address: bob.address, last: 1)),
            ScriptStep("repeated", DropMailbox(address: bob.address, last: 1)),
            ScriptStep("beyond", DropMailbox(address: bob.address, last: 9), .badRequest),
            ScriptStep(
                "no device",
                DropMailbox(
                    address: MailboxAddress(account: bob.account, device: alice.device),
                    last: 1
                ),
                .unauthorized
            ),
            add("now it goes", bob, epoch: 4, after: 7),
            send("a full room", alice, room, epoch: 5, String(repeating: "x", count: 3_000), .quotaExceeded),
            leave("first leaves", alice, epoch: 5, after: 8), leave("last leaves", bob, epoch: 5, after: 9),
            send("nobody is left", bob, room, epoch: 5, "text", .notAMember),
            create("create after leaving", room, by: alice, .notAMember),
        ]
        try hold(steps, registered(alice, bob))
    }

    @Test("blobs, and what goes with time")
    func blobs() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, blob, half) = (RoomID.random(), BlobID.random(), BlobID.random())
        func record(
            _ name: String,
            _ blob: BlobID,
            _ size: Int,
            _ offset: Int,
            _ count: Int,
            by sender: AccountID? = nil,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let piece = BlobPiece(room: room, blob: blob, size: size, offset: offset, count: count)
            return ScriptStep(name, RecordPiece(piece: piece, sender: sender ?? alice.account), refusal)
        }
        let cutoff = Self.now + 500
        let (lateRoom, growing) = (RoomID.random(), RoomID.random())
        let early =
            registered(alice, bob) + [
                make(room, by: alice),
                make("other room", lateRoom, by: bob),
                send("one", alice, room),
                send("two", alice, room),
                send("elsewhere", bob, lateRoom),
                send("elsewhere", bob, lateRoom),
                make("one that grows", growing, by: bob),
                send("its first", bob, growing),
                record("half", half, 10, 0, 5),
                record("again", half, 10, 0, 5, .wrongOffset),
                record("another size", half, 11, 5, 5, .badRequest),
                record("beyond", half, 10, 5, 6, .badRequest),
                record("more", half, 10, 5, 2),
                record("more again", half, 10, 5, 2, .wrongOffset),
                record("a stranger", .random(), 1, 0, 1, by: bob.account, .notAMember),
                record("whole", blob, 700_000, 0, 700_000),
                send("which is told of", alice, room, blobs: [blob]),
                record("too many bytes", .random(), 200_000, 0, 1, .quotaExceeded),
            ]
        let late = [
            record("too many", .random(), 1, 0, 1, .quotaExceeded),
            send("three", alice, room),
            send("late", bob, lateRoom),
            send("its second", bob, growing),
            ScriptStep("unfinished ones", DropUnfinishedBlobs(cutoff: cutoff)),
            ScriptStep("unfinished ones again", DropUnfinishedBlobs(cutoff: cutoff)),
            record("room for another", .random(), 100, 0, 1),
            record("room for no third", .random(), 100, 0, 1, .quotaExceeded),
            ScriptStep("whole ones", DropBlobs(cutoff: cutoff)),
            record("what is gone begins anew", blob, 700_000, 0, 1),
            ScriptStep("messages", DropMessages(cutoff: cutoff, start: [])),
            ScriptStep("messages again", DropMessages(cutoff: cutoff, start: [])),
            send("goes on", alice, room),
            ScriptStep("remains of nothing", DeleteRemains(remains: .room(room))),
            ScriptStep(
                "remains of nobody",
                DeleteRemains(
                    remains: .device(
                        MailboxAddress(
                            account: alice.account,
                            device: .random()
                        )
                    )
                )
            ),
        ]
        try hold([(Self.now, early), (Self.now + 1_000, late)])
    }

    @Test("what is deleted in steps: the next operation of the batch sees each")
    func steps() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, blob) = (RoomID.random(), BlobID.random())
        let messages = Portion.maxRows + 20
        let piece = BlobPiece(room: room, blob: blob, size: 1, offset: 0, count: 1)
        let filling = Doing<Void> { facts, _ throws(Missing) in
            for _ in 0..<Portion.maxRows + 1 {
                try facts.append(Data([1]), of: room, from: alice.account, isRequest: false, to: bob.address)
            }
            return .success(())
        }
        let steps =
            [make(room, by: alice)]
            + (0..<messages).map { send("\($0)", alice, room, "x") } + [
                ScriptStep("blob", RecordPiece(piece: piece, sender: alice.account)),
                ScriptStep("a full mailbox", filling),
                ScriptStep("leave", ScriptGroup.leave(room, by: alice.sender)),
                ScriptStep("first step", DeleteRemains(remains: .room(room))),
                ScriptStep("last step", DeleteRemains(remains: .room(room))),
                ScriptStep("remove", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
                ScriptStep("its device", DeleteRemains(remains: .device(bob.address))),
            ]
        try hold(steps, registered(alice, bob))
    }

    @Test("a batch that is undone leaves nothing, and nothing is remembered of it", arguments: TestedStore.allCases)
    func undone(_ store: TestedStore) throws {
        let alice = try ScriptPerson("alice")
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let transactor = try store.transactor(at: path, quota)
        let room = RoomID.random()
        _ = try transactor.batch(
            registered(alice) + [make(room, by: alice)],
            at: Self.now,
            prefetches: true
        )
        let before = try store.dump(at: path)
        try transactor.begin(at: Self.now)
        #expect(try send("lost", alice, room).run(transactor).code == "ok")
        #expect(
            try ScriptStep("lost", LogOut(session: alice.session, address: alice.address)).run(transactor).code == "ok"
        )
        transactor.abort()
        #expect(try store.dump(at: path) == before)
        let again = try transactor.batch(
            [send("first", alice, room), ScriptStep("others", EndOtherSessions(sender: alice.sender))],
            at: Self.now,
            prefetches: false
        )
        #expect(again.map(\.code) == ["ok", "ok"])
        #expect(again[0].answer == "\(SendReceipt(number: 1))")
    }
}

extension Array {
    /// The elements, so many at a time.
    fileprivate func batches(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: Swift.min(size, Swift.max(count, 1))).map { start in
            Array(self[start..<Swift.min(count, start + Swift.min(size, count))])
        }
    }
}
