import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("To decline is to leave: what the account has in the room goes, whichever way it was invited (H6, H7)")
struct DecliningTests {
    /// A room of the first person, into which the second was invited by a Welcome that leads nowhere any more: the account has a leaf
    /// there, and the device none (H37).
    private func welcomeWithoutTree() throws -> World {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.relay.collectMail(of: Cast.account(2)).count == 1)
        world.take(2, [.seat(Cast.room, generation: 0)])
        world.connect(2)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .seated)
        #expect(members(in: world) == [Cast.account(1), Cast.account(2)])
        return world
    }

    /// Who is in the room by what its maker knows.
    private func members(in world: World) -> Set<AccountID>? { world.players[1]?.room()?.members?.accounts }

    @Test("An account with a leaf that its device has never opened the Welcome of is taken out")
    func leafWithoutWelcome() throws {
        var world = try welcomeWithoutTree()
        let id = world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(members(in: world) == [Cast.account(1)])
        #expect(world.notices(2).count { $0 == .invited } == 1, "the person is not asked again")
        #expect(!world.notices(2).contains(.removed))
        world.expectOneEpoch([1])
    }

    @Test("It goes on after the program has ended, and waits for the relay")
    func endedMeanwhile() throws {
        var world = try welcomeWithoutTree()
        world.disconnect(2)
        let id = world.wish(2, .leave)
        #expect(world.players[2]?.room()?.standing == .seated)
        world.restart(2, seed: 48)
        // What is offered once more meanwhile was answered.
        world.take(2, [.seat(Cast.room, generation: 0)])
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(members(in: world) == [Cast.account(1)])
    }

    @Test("A profile that was put back to before it came in takes out the leaf that it has had since")
    func profilePutBack() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        world.wish(2, .accept)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .member)
        world.restart(2, from: copy, seed: 49)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .seated)
        let id = world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(members(in: world) == [Cast.account(1)])
        world.expectOneEpoch([1])
    }

    @Test("Where the relay knows of no membership, there is nothing to leave")
    func noMember() throws {
        var world = try welcomeWithoutTree()
        let id = world.wish(2, .leave)
        let asked = world.asked(2)
        let group = try #require(asked.first { if case .group = $0.request { true } else { false } }?.id)
        #expect(!asked.contains { if case .send = $0.request { true } else { false } })
        world.take(2, [.reply(group, .refused(.forbidden))])
        #expect(world.players[2]?.room()?.standing == .left)
        world.settle(for: 0)
        #expect(world.times(2, isDone: id) == 1)
    }

    @Test("What a stranger offers is declined without a word, whatever they have put into the room")
    func strangers() throws {
        var world = try welcomeWithoutTree()
        let (id, last) = (Cast.message(150), world.relay.last(of: Cast.room))
        world.take(2, [.decline(Cast.room, id: id)])
        #expect(world.players[2]?.room()?.standing == .left)
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.relay.last(of: Cast.room) == last)
        #expect(members(in: world) == [Cast.account(1), Cast.account(2)])
    }

    @Test("Who declines a stranger's Welcome after one that did not open stays out, and the relay is asked for nothing")
    func afterTrouble() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let mail = world.relay.collectMail(of: Cast.account(2))
        let welcome = try #require(mail.first)
        for isOfKnownSender in [true, false] {
            let withoutTree = ArrivedWelcome(
                room: welcome.room,
                generation: welcome.generation,
                number: welcome.number,
                welcome: welcome.welcome,
                tree: [],
                isOfKnownSender: isOfKnownSender
            )
            world.take(2, [.welcome(withoutTree)])
        }
        #expect(world.players[2]?.room()?.standing == .requested)
        #expect(world.players[2]?.room()?.trouble?.cause == .welcomeDoesNotOpen)
        let last = world.relay.last(of: Cast.room)
        world.connect(2)
        #expect(!world.asked(2).contains { $0.request == .group(Cast.room) }, "nobody has accepted the stranger's")
        let id = world.wish(2, .leave)
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.players[2]?.room()?.trouble == nil)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.relay.last(of: Cast.room) == last)
    }

    @Test("… and where one is a member, that is to leave")
    func memberDeclines() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = Cast.message(151)
        world.take(2, [.decline(Cast.room, id: id)])
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        #expect(members(in: world) == [Cast.account(1)])
    }
}
