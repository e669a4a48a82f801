import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("By whom one came into a room")
struct WelcomedTests {
    /// What a person is shown of their own coming in.
    private func shown(_ person: UInt8, _ world: World) -> [ShownEntry] {
        world.entries(person).filter { $0.kind == .members(joined: [Cast.account(person)], left: []) }
    }

    @Test("The first that a person can read says who brought them in, as it does to those who were there; once")
    func broughtIn() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "hello")
        world.settle()
        let first = try #require(world.entries(2).first)
        #expect(shown(2, world) == [first] && first.account == Cast.account(1))
        #expect(world.entries(1).contains(first))
        world.restart(2, seed: 9)
        try world.say(1, "on")
        world.settle()
        #expect(shown(2, world) == [first])
        #expect(world.texts(2) == ["hello", "on"])
        #expect(shown(1, world).isEmpty, "who made the room came in by nobody")
    }

    @Test("Who is put out and brought in again is shown who did that")
    func again() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.wish(1, .remove(Cast.account(3)))
        world.settle()
        world.wish(2, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        world.wish(3, .accept)
        world.settle()
        #expect(shown(3, world).map(\.account) == [Cast.account(1), Cast.account(2)])
    }

    @Test("Where the relay has the commit of another account than the Welcome, that is told")
    func mislabelled() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        let number = world.relay.last(of: Cast.room) + 1
        world.relay.mislabelled[Cast.account(2)] = number
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.wish(2, .accept)
        try world.say(1, "hello")
        world.settle()
        #expect(shown(2, world).isEmpty)
        #expect(world.entries(2).first?.kind == .unreadable(.mislabelled))
        #expect(world.texts(2) == ["hello"])
    }

    @Test(
        "Who comes in by an invitation that a relay which was put back has lost, since which others have gone another way, goes theirs",
        arguments: [false, true]
    )
    func anotherWay(_ isNamedLost: Bool) throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [3])
        let backup = world.relay
        for person: UInt8 in 2...3 { world.disconnect(person) }
        let invitation = Wish.invite(Cast.account(2), Cast.roomIdentity(2))
        world.wish(1, invitation)
        world.settle()
        let welcome = try #require(world.relay.mail(of: Cast.account(2)).last)
        world.disconnect(1)
        world.relay = backup.restored(as: 2)
        if isNamedLost { world.relay.giveUp(upTo: welcome.number, in: Cast.room) }
        world.connect(3)
        world.wish(3, invitation)
        world.settle()
        #expect(world.relay.last(of: Cast.room) == welcome.number + (isNamedLost ? 1 : 0))
        _ = world.relay.collectMail(of: Cast.account(2))
        world.take(2, [.welcome(welcome)])
        #expect(world.epoch(2) == world.epoch(3))
        world.connect(2)
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        #expect(!world.unreadable(2).contains("mislabelled"))
        world.wish(2, .accept)
        world.settle()
        try world.say(3, "hello")
        world.settle()
        #expect(world.texts(2) == ["hello"])
        try world.say(2, "here")
        world.settle()
        #expect(world.texts(3) == ["hello", "here"])
        world.expectOneEpoch([2, 3])
    }
}
