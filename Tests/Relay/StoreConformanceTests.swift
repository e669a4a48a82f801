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
        quota.senderBytes = 100
        quota.requestItems = 3
        quota.requestBytes = 60
        quota.senderRequests = 2
        quota.senderRequestBytes = 30
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
        generation: UInt32 = 1,
        _ text: String = "text",
        _ change: MembershipChange? = nil,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let request = SendRequest(id: id, generation: generation, body: Data(text.utf8), change: change)
        return ScriptStep(name, SendMessage(request, to: room, by: person.sender), refusal)
    }

    func registered(_ people: ScriptPerson...) -> [ScriptStep] {
        people.map { ScriptStep("register \($0.handle)", $0.register(at: Self.now / 1000)) }
    }

    @Test("rooms and messages")
    func rooms() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, id) = (RoomID.random(), MessageID.random())
        let nobody = AccountID.random()
        func add(_ accounts: [AccountID], after: UInt64, _ envelopes: [AddressedEnvelope] = []) -> MembershipChange {
            MembershipChange(action: .add, accounts: accounts, after: after, envelopes: envelopes)
        }
        let leave = MembershipChange(action: .leave, after: 8)
        let (adding, bobs) = (MessageID.random(), MessageID.random())
        let steps = [
            ScriptStep("create", CreateRoom(id: room, sender: alice.sender)),
            ScriptStep("create again", CreateRoom(id: room, sender: alice.sender)),
            ScriptStep("taken", CreateRoom(id: room, sender: bob.sender), .roomTaken),
            ScriptStep("second", CreateRoom(id: .random(), sender: alice.sender)),
            ScriptStep("third", CreateRoom(id: .random(), sender: alice.sender)),
            ScriptStep("too many", CreateRoom(id: .random(), sender: alice.sender), .quotaExceeded),
            send("first", alice, room, id: id),
            send("repeated", alice, room, id: id),
            send("reused id", alice, room, id: id, "other", nil, .idReused),
            send("the id of another device", bob, room, id: id, "text", nil, .notAMember),
            send("no such room", alice, .random(), "text", nil, .unknownRoom),
            send("stale", alice, room, generation: 2, "text", nil, .staleEpoch),
            send("add nobody", alice, room, "add", add([nobody], after: 1), .unknownAccount),
            send("stale number", alice, room, "add", add([bob.account], after: 7), .staleNumber),
            send(
                "an envelope for nobody",
                alice,
                room,
                "add",
                add(
                    [bob.account],
                    after: 1,
                    [
                        AddressedEnvelope(account: bob.account, device: .random(), body: Data([1]))
                    ]
                ),
                .badRequest
            ),
            send("add", alice, room, id: adding, "add", add([bob.account], after: 1, [bob.envelope()])),
            send("add repeated", alice, room, id: adding, "add", add([bob.account], after: 1, [bob.envelope()])),
            send("already", alice, room, "add", add([bob.account], after: 2), .alreadyAMember),
            send("bob", bob, room, id: bobs),
            send(
                "remove",
                alice,
                room,
                generation: 2,
                "out",
                MembershipChange(
                    action: .remove,
                    accounts: [bob.account],
                    after: 3,
                    envelopes: [alice.envelope()]
                )
            ),
            send("bob is out", bob, room, generation: 2, "text", nil, .notAMember),
            send("what bob has said has its number", bob, room, id: bobs),
            send("so has what alice has said", alice, room, id: id),
            send("add again", alice, room, generation: 2, "in", add([bob.account], after: 4, [bob.envelope()])),
            send(
                "the mailbox is full",
                alice,
                room,
                generation: 2,
                "in",
                add([], after: 5, [bob.envelope()]),
                .badRequest
            ),
            send("bob leaves", bob, room, generation: 2, "bye", MembershipChange(action: .leave, after: 5)),
            send("a renewal is due", alice, room, generation: 2, "text", nil, .staleEpoch),
            send(
                "renewal",
                alice,
                room,
                generation: 3,
                "renew",
                MembershipChange(
                    action: .renew,
                    after: 6,
                    envelopes: [alice.envelope()]
                )
            ),
            send(
                "full mailbox",
                alice,
                room,
                generation: 3,
                "in",
                add([bob.account], after: 7, [bob.envelope()]),
                .quotaExceeded
            ),
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
            send("now it goes", alice, room, generation: 3, "in", add([bob.account], after: 7, [bob.envelope()])),
            send("a full room", alice, room, generation: 3, String(repeating: "x", count: 3_000), nil, .quotaExceeded),
            send("first leaves", alice, room, generation: 3, "bye", leave),
            send("last leaves", bob, room, generation: 3, "bye", MembershipChange(action: .leave, after: 9)),
            send("nobody is left", bob, room, generation: 3, "text", nil, .notAMember),
            ScriptStep("create after leaving", CreateRoom(id: room, sender: alice.sender), .notAMember),
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
                ScriptStep("room", CreateRoom(id: room, sender: alice.sender)),
                ScriptStep("other room", CreateRoom(id: lateRoom, sender: bob.sender)),
                send("one", alice, room),
                send("two", alice, room),
                send("elsewhere", bob, lateRoom),
                send("elsewhere", bob, lateRoom),
                ScriptStep("one that grows", CreateRoom(id: growing, sender: bob.sender)),
                send("its first", bob, growing),
                record("half", half, 10, 0, 5),
                record("again", half, 10, 0, 5, .wrongOffset),
                record("another size", half, 11, 5, 5, .badRequest),
                record("beyond", half, 10, 5, 6, .badRequest),
                record("more", half, 10, 5, 2),
                record("more again", half, 10, 5, 2, .wrongOffset),
                record("a stranger", .random(), 1, 0, 1, by: bob.account, .notAMember),
                record("whole", blob, 900_000, 0, 900_000),
                record("too many bytes", .random(), 100_000, 0, 1, .quotaExceeded),
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
            record("what is gone begins anew", blob, 900_000, 0, 1),
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
        let leave = MembershipChange(action: .leave, after: UInt64(messages))
        let piece = BlobPiece(room: room, blob: blob, size: 1, offset: 0, count: 1)
        let filling = Doing<Void> { facts, _ throws(Missing) in
            for _ in 0..<Portion.maxRows + 1 {
                try facts.append(Data([1]), of: room, from: alice.account, isRequest: false, to: bob.address)
            }
            return .success(())
        }
        let steps =
            [ScriptStep("room", CreateRoom(id: room, sender: alice.sender))]
            + (0..<messages).map { send("\($0)", alice, room, "x") } + [
                ScriptStep("blob", RecordPiece(piece: piece, sender: alice.account)),
                ScriptStep("a full mailbox", filling),
                send("leave", alice, room, "bye", leave),
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
            registered(alice) + [ScriptStep("room", CreateRoom(id: room, sender: alice.sender))],
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
