import MildamClientCore
import MildamSimulate
import Testing

@Suite("The relay says that an account is no member")
struct ShutOutTests {
    @Test("nothing is sent any more, and when the room is served again it goes on, once the person has accepted")
    func putOut() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "before")
        let waiting = try world.say(2, "unsent")
        world.take(2, [.noMember(Cast.room)])
        #expect(world.players[2]?.room()?.standing == .removed)
        world.settle()
        #expect(world.notices(2).contains(.wishFailed(waiting, code: "removed")))
        #expect(world.notices(2).contains(.removed))
        let late = try world.say(2, "late")
        world.settle()
        #expect(world.notices(2).contains(.wishFailed(late, code: "no-member")))
        #expect(world.texts(1) == ["before"] || world.texts(1) == ["before", "unsent"])

        world.take(2, [.seat(Cast.room, generation: 0)])
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(2, .accept)
        world.settle()
        try world.say(1, "after")
        world.settle()
        #expect(world.texts(2).last == "after")
        world.expectOneEpoch([1, 2])
    }

    @Test("for who wants to leave, that is how it is done")
    func left() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let id = world.wish(2, .leave)
        world.take(2, [.noMember(Cast.room)])
        #expect(world.players[2]?.room()?.standing == .left)
        world.settle()
        #expect(world.notices(2).contains(.wishIsDone(id, number: nil)))
        #expect(world.players[1]?.room()?.members?.accounts == [Cast.account(1)])
    }
}
