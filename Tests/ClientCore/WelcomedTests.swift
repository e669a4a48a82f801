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
}
