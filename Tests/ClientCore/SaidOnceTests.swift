import MildamContent
import MildamIdentity
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("What was said under an id is said once")
struct SaidOnceTests {
    private func wish(_ text: String) throws -> Wish {
        .say(try TextContent(text).part, inReplyTo: nil, blobs: [])
    }

    @Test("A wish under the id of what was said is done under its number, where the relay knows the id alone")
    func again() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = try world.say(1, "once")
        world.settle()
        let number = world.read(1)
        world.restart(1, seed: 90)
        world.settle()
        world.take(1, [.wish(Cast.room, try wish("once"), id: id)])
        world.settle()
        #expect(world.notices(1).contains(.wishIsDone(id, number: number)))
        #expect(world.texts(1) == ["once"] && world.texts(2) == ["once"])
        #expect(world.relay.rooms[Cast.room]?.log.count { $0.id == id } == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("However long ago it was said, it is shown once")
    func longAgo() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = try world.say(1, "once")
        world.settle()
        let number = world.read(1)
        for other in 0..<UInt32(RunningHistory.kept + 1) {
            world.take(2, [.wish(Cast.room, try wish("later"), id: Cast.wish(7000 + other))])
        }
        world.settle()
        try #require(world.players[1]?.room()?.history.digest(of: number) == nil)
        world.take(1, [.wish(Cast.room, try wish("once"), id: id)])
        world.settle()
        #expect(world.notices(1).contains(.wishIsDone(id, number: number)) && world.times(1, isDone: id) == 2)
        #expect(world.texts(1).count { $0 == "once" } == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("A relay that says that the id was used: it is done under that number, and has not failed")
    func idReused() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = try world.say(1, "once")
        world.settle()
        let number = world.read(1)
        world.take(1, [.wish(Cast.room, try wish("once"), id: id)])
        let asked = world.sent(1)
        let sent = try #require(asked)
        #expect(sent.message.id == id)
        world.take(1, [.reply(sent.id, .refused(.idReused(number: number)))])
        world.settle()
        #expect(world.times(1, isDone: id) == 2)
        #expect(world.players[1]?.room()?.unsaid.isEmpty == true)
        #expect(world.texts(2) == ["once"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A number under which something else was said counts for nothing: the text is not sealed anew, and goes out")
    func numberOfAnother() throws {
        for isReuse in [true, false] {
            var world = World([1, 2])
            try world.makeRoom(1, [2])
            try world.say(2, "another's")
            world.settle()
            let number = world.read(1)
            let id = try world.say(1, "mine")
            let asked = world.sent(1)
            let sent = try #require(asked)
            let reply: RelayReply = isReuse ? .refused(.idReused(number: number)) : .accepted(number: number)
            world.take(1, [.reply(sent.id, reply)])
            world.settle()
            #expect(world.times(1, isDone: id) == 1)
            #expect(world.texts(2) == ["another's", "mine"])
            #expect(world.relay.rooms[Cast.room]?.log.contains { $0.body == sent.message.body } == true)
            world.expectOneEpoch([1, 2])
        }
    }
}
