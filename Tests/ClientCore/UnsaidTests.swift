import MildamClientCore
import MildamContent
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

    @Test("A thousand texts wait in a room, and no more are taken on; none of them is lost where it cannot be said")
    func mostWaiting() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        let part = try TextContent("typed").part
        let wishes = (0..<1001).map { number in
            Happening.wish(Cast.room, .say(part, inReplyTo: nil, blobs: []), id: Cast.wish(UInt32(5000 + number)))
        }
        world.take(2, Array(wishes.prefix(1000)))
        world.settle(for: 0)
        #expect(world.players[2]?.room()?.intents.count == 1000)
        world.take(2, [wishes[1000], wishes[0]])
        let told = world.told(2)
        #expect(told == [.wishFailed(Cast.wish(6000), code: "too-many-waiting")])
        #expect(world.players[2]?.room()?.intents.count == 1000)
        world.take(2, [.noMember(Cast.room)])
        #expect(unsaid(2, world) == (0..<1000).map { Cast.wish(UInt32(5000 + $0)) })
    }

    @Test("Where a thousand wait, one can still leave, and all that was typed is kept")
    func leavingAmongMany() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        let part = try TextContent("typed").part
        world.take(
            2,
            (0..<1000).map { number in
                .wish(Cast.room, .say(part, inReplyTo: nil, blobs: []), id: Cast.wish(UInt32(5000 + number)))
            }
        )
        let leaving = world.wish(2, .leave)
        #expect(world.players[2]?.room()?.intents.last?.id == leaving)
        world.take(2, [.noMember(Cast.room)])
        #expect(unsaid(2, world)?.count == 1000)
    }
}

extension World {
    /// What a person is told now.
    fileprivate mutating func told(_ person: UInt8) -> [Notice] {
        (players[person]?.core.delivery.takeAll() ?? []).compactMap { effect in
            if case .tell(_, let notice) = effect { notice } else { nil }
        }
    }
}
