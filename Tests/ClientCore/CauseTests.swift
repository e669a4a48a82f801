import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore
@testable import MildamMLS

@Suite("A client's rooms: each cause why something could not be read, by its name")
struct CauseTests {
    /// Brings a message of this body to its number, as a member's client that does what it wants would.
    private func put(
        _ body: [UInt8],
        _ kind: NumberedMessage.Kind,
        id: MessageID = Cast.message(201),
        from person: UInt8,
        into world: inout World
    ) {
        let message = OutgoingMessage(id: id, kind: kind, generation: 0, epoch: world.epoch(person), body: body)
        guard case .accepted = world.relay.answer(.send(Cast.room, message), from: Cast.device(person)) else {
            Issue.record("the relay does not take it")
            return
        }
    }

    private func group(of person: UInt8, in world: World) throws -> Group {
        try #require(world.players[person]?.room()?.group)
    }

    @Test("What MLS says of a message is one of the causes")
    func errors() {
        let causes: [(MLSError, Cause)] = [
            (.keyConsumed, .repeated), (.invalid(.senderIsMember), .senderNoMember), (.commitRefused, .ruleBroken),
            (.proposalRefused, .ruleBroken), (.credentialRefused, .ruleBroken), (.damagedState, .recordsDamaged),
            (.otherEpoch(3), .mislabelled), (.otherGroup, .mislabelled), (.decryptionFailed, .forged),
        ]
        for (error, cause) in causes { #expect(RoomCore.cause(of: error) == cause) }
    }

    @Test("A Welcome for a key package that is no longer here: the device comes in from outside")
    func welcomeDoesNotOpen() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.restart(2, from: MemoryStore(), seed: 90)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.notices(2).contains(.trouble(.welcomeDoesNotOpen)))
        world.wish(2, .accept)
        world.settle()
        try world.say(2, "in")
        world.settle()
        #expect(world.texts(1) == ["in"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A number that means another message than before is another history: it is told, and nothing is repaired")
    func differentHistory() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "one")
        world.settle()
        let last = try #require(world.relay.rooms[Cast.room]?.log.last)
        let page = LogPage(
            room: Cast.room,
            messages: [last.spoiled],
            first: 1,
            last: last.number,
            epoch: world.epoch(2),
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        world.take(2, [.live(page)])
        world.settle()
        #expect(world.notices(2).contains(.trouble(.differentHistory(number: last.number))))
        #expect(world.texts(2) == ["one"])
        world.expectOneEpoch([1, 2])
    }

    @Test("What no known version says is kept as something newer, and the room goes on")
    func newer() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        var later = try group(of: 1, in: world)
        let id = Cast.message(201)
        put(try later.protect([0x80], authenticatedData: [1] + id.bytes).wireBytes, .application, from: 1, into: &world)
        world.settle()
        try world.say(3, "on")
        world.settle()
        #expect(world.unreadable(2) == ["newer"])
        #expect(world.texts(2) == ["on"])
    }

    @Test("A message under a leaf that nobody has: who sent it was no member")
    func senderNoMember() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let gone = try group(of: 2, in: world).ownLeaf
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        var forger = try group(of: 1, in: world)
        forger.own = PrivateTree(leaf: gone, leafKey: nil)
        put(try forger.protect([1]).wireBytes, .application, from: 1, into: &world)
        world.settle()
        #expect(world.unreadable(3) == ["sender-no-member"])
        world.expectOneEpoch([1, 3])
    }

    @Test("A proposal against the rules is not followed; where the relay wants it all the same, the device comes back")
    func ruleBroken() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        var unruly = try group(of: 3, in: world)
        let proposal = try unruly.proposeSelfRemove(authenticatedData: [9])
        put(proposal.message.wireBytes, .proposal, from: 3, into: &world)
        world.settle()
        #expect(world.unreadable(2) == ["rule-broken"])
        try world.say(2, "on")
        world.settle()
        #expect(world.notices(2).contains { if case .trouble(.dueProposalRefused) = $0 { true } else { false } })
        try world.say(1, "heard")
        world.settle()
        #expect(world.texts(2) == ["on", "heard"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A room whose records cannot be read: the device comes back, and is heard")
    func recordsDamaged() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "before")
        world.settle()
        let damaged = RoomCore(damaged: Cast.room, generation: 0, number: world.read(2))
        var store = try #require(world.players[2]?.core.store)
        try store.store([.room(damaged, replacing: nil)])
        world.restart(2, from: store, seed: 91)
        world.settle()
        try world.say(2, "after")
        world.settle()
        #expect(world.texts(1) == ["before", "after"])
        #expect(world.unreadable(1).isEmpty)
        world.expectOneEpoch([1, 2])
    }

    @Test("What is said in a generation that this device has not come into is before its coming in")
    func beforeComingIn() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(3)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        try world.say(2, "too early for three")
        world.settle()
        world.connect(3)
        world.settle()
        // What the room is called, for who came into its new group, and what was said.
        #expect(world.unreadable(3) == ["before-coming-in", "before-coming-in"])
        #expect(world.texts(3).isEmpty)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("A proposal that the relay wants in every commit, and that this device had to refuse: it comes back")
    func dueProposalRefused() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(1)
        world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
        world.wish(2, .leave)
        world.settle()
        #expect(world.unreadable(3) == ["forged"])
        try world.say(3, "left alone")
        world.settle()
        #expect(world.notices(3).contains { if case .trouble(.dueProposalRefused) = $0 { true } else { false } })
        #expect(world.notices(3).contains(.troubleIsOver))
        world.connect(1)
        world.settle()
        world.expectOneEpoch([1, 3])
        #expect(world.texts(1) == ["left alone"])
        #expect(world.players[3]?.room()?.members?.accounts == [Cast.account(1), Cast.account(3)])
    }
}
