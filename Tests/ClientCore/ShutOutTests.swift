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

    /// A room of two, which the second has left, and was shut out of before it could read that it was let go.
    ///
    /// - Parameter hasReadItself: whether it has read that it says that it leaves.
    private func worldThatOneLeft(hasReadItself: Bool) throws -> World {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(2, .leave)
        if hasReadItself { world.settle(for: 0) }
        world.take(2, [.noMember(Cast.room)])
        world.settle()
        #expect(world.players[2]?.room()?.isLeftBehind == true)
        #expect(world.players[1]?.room()?.members?.accounts == [Cast.account(1)])
        return world
    }

    /// The second says something, and both read it.
    private func expectBothIn(_ world: inout World) throws {
        try world.say(2, "in again")
        world.settle()
        #expect(world.texts(1) == ["in again"])
        #expect(world.texts(2) == ["in again"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A stranger's Welcome for who was shut out is opened once the person has accepted", arguments: [false, true])
    func askedInByStranger(hasReadItself: Bool) throws {
        var world = try worldThatOneLeft(hasReadItself: hasReadItself)
        world.relay.sendersAreKnown = false
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .requested)
        let id = world.wish(2, .accept)
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        #expect(!world.notices(2).contains(.trouble(.welcomeDoesNotOpen)))
        try expectBothIn(&world)
    }

    @Test(
        "Who was shut out and cannot open the Welcome by which they are asked in comes in from outside",
        arguments: [false, true],
        [false, true]
    )
    func cannotOpen(hasReadItself: Bool, isOfKnownSender: Bool) throws {
        var world = try worldThatOneLeft(hasReadItself: hasReadItself)
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let mail = world.relay.collectMail(of: Cast.account(2))
        let welcome = try #require(mail.first)
        world.connect(2)
        let withoutTree = ArrivedWelcome(
            room: welcome.room,
            generation: welcome.generation,
            number: welcome.number,
            welcome: welcome.welcome,
            tree: [],
            isOfKnownSender: isOfKnownSender
        )
        let expected: RoomCore.Standing = isOfKnownSender ? .invited : .requested
        world.take(2, [.welcome(withoutTree)])
        #expect(world.players[2]?.room()?.standing == expected)
        let id = world.wish(2, .accept)
        world.settle()
        #expect(world.notices(2).contains(.trouble(.welcomeDoesNotOpen)))
        #expect(world.notices(2).contains(.troubleIsOver))
        #expect(world.times(2, isDone: id) == 1)
        try expectBothIn(&world)
    }
}
