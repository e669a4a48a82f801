import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// A store that was put back, how far devices have read, and blobs that messages name.
extension StoreConformanceTests {
    private func room(_ room: RoomID, of people: [ScriptPerson]) -> ScriptStep {
        let group = CheckedGroup(
            generation: 1,
            groupID: [7],
            treeHash: [1],
            groupInfo: [2],
            externalPub: [UInt8](repeating: 1, count: Limits.digest),
            snapshot: [3],
            accounts: people.map(\.account).sorted()
        )
        return ScriptStep("room", CreateGroup(id: room, sender: people[0].sender, group: group, policy: .open))
    }

    private func said(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        id: MessageID = .random(),
        text: [UInt8] = [1],
        blobs: [BlobID] = [],
        in restored: RestoredRoom? = nil,
        as number: UInt64? = nil,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let request = GroupSendRequest(
            id: id,
            generation: 1,
            epoch: 0,
            seen: 0,
            content: .application(text),
            blobs: blobs
        )
        let operation = SendToGroup(
            request,
            .application,
            to: room,
            by: person.sender,
            in: restored,
            givenBack: number.map { GivenBack(number: $0, stored: Self.now - 5) }
        )
        return ScriptStep(name, operation, refusal)
    }

    private func meet(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        showing shown: UInt64,
        _ restored: RestoredRoom = RestoredRoom(),
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let meeting = MeetRestoredRoom(
            room: room,
            account: person.account,
            shown: shown,
            isCertain: false,
            restored: restored
        )
        return ScriptStep(name, meeting, refusal)
    }

    @Test("put back: numbers that members show are theirs, and what nobody gives back is passed over")
    func putBack() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let (room, old, id) = (RoomID.random(), RoomID.random(), MessageID.random())
        let both = Set([alice.account, bob.account])
        let waiting = RestoredRoom(heard: both, silence: 0)
        let over = RestoredRoom(heard: both, silence: RestoredRoom.shortPatience, held: [6: 1])
        let nobody = RestoredRoom(age: RestoredRoom.longPatience, silence: RestoredRoom.shortPatience)
        let steps = [
            self.room(room, of: [alice, bob]),
            said("kept", alice, room),
            said("bob was not heard", alice, room, in: RestoredRoom(heard: [alice.account]), .unavailable),
            said("both were, and lack nothing", alice, room, in: waiting),
            said("given back where nothing is missing", alice, room, as: 3, .badRequest),
            meet("nowhere", alice, .random(), showing: 9, .init(), .unknownRoom),
            meet("by a stranger", carol, room, showing: 9, .init(), .notAMember),
            meet("what is there", alice, room, showing: 2),
            meet("what is not believed", alice, room, showing: 3 + RestoredRoom.maximumLost),
            meet(
                "more than it can have lost since it was put back",
                alice,
                room,
                showing: 2 + RestoredRoom.maximumLost,
                RestoredRoom(base: 1)
            ),
            meet("up to the ninth", alice, room, showing: 9), meet("less", bob, room, showing: 8),
            said("it is waited for", bob, room, in: waiting, .unavailable),
            said("another number is due", alice, room, as: 4, .unavailable),
            said("given back", alice, room, id: id, as: 3), said("again", alice, room, id: id, as: 3),
            said("under another number", alice, room, id: id, as: 4, .idReused),
            said("sent again", alice, room, id: id),
            said("something else under the id that it is said to have had", alice, room, id: id, text: [2], .idReused),
            said("by a stranger", carol, room, as: 4, .notAMember),
            meet("what lies before the offer is given up", bob, room, showing: 9, over),
            said("the offer", bob, room, as: 6),
            meet("the rest", bob, room, showing: 9, nobody),
            said("new", alice, room),
            meet("to the twelfth", alice, room, showing: 12),
            said("behind what is lost", alice, room, in: nobody),
            ScriptStep("a room with keys", ScriptGroup.roomOfBefore(old, of: alice.account)),
            meet("shows nothing", alice, old, showing: 9),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    @Test("put back: a commit without its GroupInfo, and a room's next group, which passes over what is lost")
    func putBackGroups() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bobby"))
        let (room, id) = (RoomID.random(), MessageID.random())
        let heard = Set([alice.account, bob.account])
        let waiting = RestoredRoom(heard: heard, silence: 0)
        let nobody = RestoredRoom(age: RestoredRoom.longPatience, silence: RestoredRoom.shortPatience)
        let checked = CheckedCommit(
            handshake: 0,
            treeHash: [2],
            groupInfo: [],
            externalPub: nil,
            added: [],
            removed: [],
            welcomes: [],
            snapshot: nil
        )
        let sent = GroupSendRequest(
            id: .random(),
            generation: 1,
            epoch: 0,
            seen: 0,
            content: .commit([8, 8], groupInfo: [], welcome: [])
        )
        let commit = SendToGroup(
            sent,
            .commit(checked),
            to: room,
            by: alice.sender,
            givenBack: GivenBack(number: 1, stored: Self.now - 5)
        )
        func put(_ name: String, _ person: ScriptPerson, _ number: UInt8) -> ScriptStep {
            let info = CheckedGroupInfo(
                generation: 1,
                epoch: 1,
                externalPub: [UInt8](repeating: number, count: Limits.digest),
                bytes: [UInt8](repeating: number, count: 40)
            )
            return ScriptStep(name, PutGroupInfo(room: room, sender: person.sender, info: info))
        }
        func renew(
            _ name: String,
            _ person: ScriptPerson,
            from generation: UInt32 = 1,
            epoch: UInt64,
            id: MessageID = .random(),
            in restored: RestoredRoom? = nil,
            as number: UInt64? = nil,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let request = GenerationRequest(id: id, generation: generation, epoch: epoch, seen: 0, groupInfo: [9, 9])
            let group = CheckedGroup(
                generation: generation + 1,
                groupID: [8, UInt8(generation)],
                treeHash: [8],
                groupInfo: [9, 9],
                externalPub: [UInt8](repeating: 9, count: Limits.digest),
                snapshot: [6, 6, 6],
                accounts: [alice.account, bob.account].sorted()
            )
            let operation = RenewRoom(
                request,
                group,
                of: room,
                by: person.sender,
                in: restored,
                givenBack: number.map { GivenBack(number: $0, stored: Self.now - 5) }
            )
            return ScriptStep(name, operation, refusal)
        }
        let steps = [
            self.room(room, of: [alice, bob]), meet("up to the fifth", alice, room, showing: 5),
            ScriptStep("no GroupInfo", commit), ScriptStep("again", commit),
            put("the first", bob, 2), put("another", alice, 3), put("behind the first", alice, 2),
            renew("it is waited for", alice, epoch: 1, in: waiting, .unavailable),
            renew("another number is due", alice, epoch: 1, as: 3, .unavailable),
            renew("given back", alice, epoch: 1, id: id, as: 2), renew("once more", alice, epoch: 1, id: id, as: 2),
            renew("under another number", alice, epoch: 1, id: id, as: 3, .idReused),
            renew("sent again", alice, epoch: 1, id: id, in: waiting),
            renew("behind what is lost", bob, from: 2, epoch: 0, in: nobody),
            ScriptStep("bob goes", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
        ]
        try hold(steps, registered(alice, bob))
    }

    @Test("cursors: they never go back, end with the membership, and hold up retention for as long again")
    func cursors() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let room = RoomID.random()
        func note(_ name: String, _ cursors: [(ScriptPerson, UInt64)]) -> ScriptStep {
            let numbers = cursors.map { (CursorName(room: room, address: $0.0.address), $0.1) }
            return ScriptStep(name, NoteCursors(cursors: Dictionary(uniqueKeysWithValues: numbers)))
        }
        let made = [self.room(room, of: [alice, bob])]
        let words = (0..<7).map { said("\($0)", alice, room) }
        let notes = [
            note("read", [(alice, 5), (bob, 3)]), note("not back", [(bob, 2)]),
            note("beyond the end, and by a stranger", [(alice, 8), (carol, 1)]), note("none", []),
        ]
        let (now, day) = (Self.now + 1_000, Int64(86_400_000))
        let late = [
            // What all have read goes.
            ScriptStep("retention", DropMessages(cutoff: now + day, last: now - day, start: [])),
            ScriptStep("longer", DropMessages(cutoff: now + 2 * day, last: now + 1, start: [])),
            ScriptStep("bob goes", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
        ]
        let setUp = people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) }
        try hold([(Self.now, setUp), (now, made + words + notes), (now + 3 * day, late)])
    }

    @Test("blobs of a group: a message names them, and what none names goes with the unfinished")
    func namedBlobs() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bobby"))
        let (room, whole, half, other) = (RoomID.random(), BlobID.random(), BlobID.random(), BlobID.random())
        func record(_ blob: BlobID, _ size: Int, _ count: Int, by person: ScriptPerson) -> ScriptStep {
            let piece = BlobPiece(room: room, blob: blob, size: size, offset: 0, count: count)
            return ScriptStep("piece", RecordPiece(piece: piece, sender: person.account))
        }
        let steps = [
            self.room(room, of: [alice, bob]),
            record(whole, 5, 5, by: alice), record(half, 5, 3, by: alice), record(other, 5, 5, by: bob),
            said("of none", alice, room, blobs: [.random()], .unknownBlob),
            said("of half of one", alice, room, blobs: [half], .unknownBlob),
            said("of somebody else's", alice, room, blobs: [other], .unknownBlob),
            said("of one", alice, room, blobs: [whole]), said("of the same", alice, room, blobs: [whole]),
        ]
        let sweep = [ScriptStep("unfinished", DropUnfinishedBlobs(cutoff: Self.now + 5_000))]
        try hold([(Self.now, registered(alice, bob)), (Self.now + 1_000, steps), (Self.now + 9_000, sweep)])
    }
}
