import MildamClientCore
import MildamIdentity
import MildamSimulate
import Testing

@Suite("What was typed and could not be said")
struct UnsaidTests {
    private func unsaid(_ person: UInt8, _ world: World) -> [MessageID]? {
        world.players[person]?.room()?.unsaid.map(\.id)
    }

    @Test("It is stored in the step in which it fails, and is there until it is dropped")
    func kept() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        let (first, second) = (try world.say(2, "one"), try world.say(2, "two"))
        world.take(2, [.noMember(Cast.room)])
        #expect(unsaid(2, world) == [first, second])
        #expect(world.players[2]?.room()?.unsaid.map(\.failure) == ["removed", "removed"])
        #expect(world.players[2]?.room()?.intents.isEmpty == true)
        world.restart(2, seed: 80)
        #expect(unsaid(2, world) == [first, second])
        world.take(2, [.drop(Cast.room, first)])
        #expect(unsaid(2, world) == [second])
        world.restart(2, seed: 81)
        #expect(unsaid(2, world) == [second])
        world.take(2, [.forget(Cast.room)])
        #expect(world.players[2]?.room() == nil)
    }

    @Test("What is dropped while it waits, and what is no text, is not kept")
    func notKept() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        let dropped = try world.say(2, "dropped")
        world.take(2, [.drop(Cast.room, dropped)])
        world.wish(2, .renewKeys)
        world.take(2, [.noMember(Cast.room)])
        #expect(unsaid(2, world) == [])
    }
}
