import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("A client's rooms: what happens at the same time, and what is lost on the way")
struct RaceTests {
    @Test("Two commit at once: nobody parts, and each wish is done once")
    func twoCommits() throws {
        var world = World([1, 2, 3, 4])
        try world.makeRoom(1, [2])
        let first = world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        let second = world.wish(2, .invite(Cast.account(4), Cast.roomIdentity(4)))
        world.settle()
        #expect(world.times(1, isDone: first) == 1)
        #expect(world.times(2, isDone: second) == 1)
        world.wish(3, .accept)
        world.wish(4, .accept)
        world.settle()
        world.expectOneEpoch([1, 2, 3, 4])
        #expect(world.players[4]?.room()?.members?.leaves.count == 4)
    }

    /// Where an identity of the other one differs by then, what was wished later waits; this was done before.
    @Test(
        "What one's own commit has done is done, though another's undoes it before one has heard of either",
        arguments: [false, true]
    )
    func undoneAtOnce(identityDiffers: Bool) throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .role(Cast.account(2), .admin))
        world.settle()
        let wish = world.wish(1, .timer(60))
        let message = try #require(world.sent(1)?.message)
        guard case .accepted = world.relay.answer(.send(Cast.room, message), from: Cast.device(1)) else {
            Issue.record("the relay does not take it")
            return
        }
        world.disconnect(1)
        world.connect(2)
        world.wish(2, .timer(70))
        world.settle()
        #expect(world.players[2]?.room()?.members?.room.timer == 70)
        if identityDiffers { world.take(1, [.pin(Cast.account(2), Cast.roomIdentity(3).key)]) }
        world.connect(1)
        world.settle()
        if identityDiffers {
            #expect(world.times(1, isDone: wish) == 1)
            world.take(1, [.pin(Cast.account(2), Cast.roomIdentity(2).key)])
            world.settle()
        }
        #expect(world.times(1, isDone: wish) == 1)
        #expect(world.players[1]?.room()?.members?.room.timer == 70, "it is not wished again")
        world.expectOneEpoch([1, 2])
    }

    @Test("Two want the same: it is done once, and both are told so")
    func sameWish() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        let first = world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        let second = world.wish(2, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        #expect(world.times(1, isDone: first) == 1)
        #expect(world.times(2, isDone: second) == 1)
        #expect(world.players[1]?.room()?.members?.leaves.count == 3)
    }

    @Test("A message that meets a commit is sealed anew and stands once")
    func messageMeetsCommit() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        for number in 0..<10 {
            world.wish(1, .renewKeys)
            try world.say(2, "\(number)")
        }
        world.settle(for: 600_000)
        #expect(world.texts(1) == (0..<10).map { "\($0)" })
        #expect(world.texts(2) == world.texts(1))
        world.expectOneEpoch([1, 2])
    }

    @Test("Answers are lost: what was sent stands once", arguments: [1, 2, 5])
    func lostAnswers(_ losses: Int) throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        world.players[1]?.losesAnswers = losses
        world.players[2]?.losesAnswers = losses
        let id = world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        try world.say(1, "one")
        try world.say(2, "two")
        world.settle(for: 600_000)
        #expect(world.times(1, isDone: id) == 1)
        #expect(Set(world.texts(1)) == ["one", "two"])
        #expect(world.texts(1).count == 2)
        #expect(world.texts(2) == world.texts(1))
    }

    @Test("A client ends between sending and hearing of it: what was sent stands once")
    func endedBetween() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        for (number, wish) in [Wish.renewKeys, .timer(60)].enumerated() {
            world.players[1]?.losesAnswers = 1
            let id = world.wish(1, wish)
            world.settle(for: 0)
            // Its numbered echo may have come without the answer: then it was told before.
            let before = world.times(1, isDone: id)
            world.restart(1, seed: UInt8(100 + number))
            world.settle()
            #expect(before + world.times(1, isDone: id) == 1)
            world.expectOneEpoch([1, 2])
        }
        world.players[1]?.losesAnswers = 1
        try world.say(1, "once")
        world.settle(for: 0)
        world.restart(1, seed: 110)
        world.settle()
        #expect(world.texts(1) == ["once"])
        #expect(world.texts(2) == ["once"])
        #expect(world.notices(1).allSatisfy { if case .trouble = $0 { false } else { true } })
    }

    @Test("A store that takes nothing: nothing is sent, and nothing has happened")
    func fullStore() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.players[1]?.core.store.isFull = true
        let wish = Happening.wish(
            Cast.room,
            .say(.init(.nothing), inReplyTo: nil, blobs: []),
            id: Cast.message(200)
        )
        let moment = Moment(steady: world.now, wall: 1_700_000_000_000 + world.now)
        #expect(throws: MemoryStore.IsFull.self) { try world.players[1]?.core.take([wish], at: moment) }
        #expect(world.players[1]?.room()?.intents.isEmpty == true)
        let asked = world.players[1]?.core.delivery.takeAll()
        #expect(asked?.isEmpty == true)
        world.players[1]?.core.store.isFull = false
        try world.say(1, "room again")
        world.settle()
        #expect(world.texts(2) == ["room again"])
    }

    @Test("A step in which nothing changes writes nothing")
    func nothingToWrite() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let writes = world.players[1]?.core.store.writes
        world.take(1, [.tick])
        #expect(world.players[1]?.core.store.writes == writes)
    }

    @Test("The same happens twice: the same log comes out")
    func sameTwice() throws {
        func log() throws -> [[UInt8]] {
            var world = World([1, 2, 3])
            try world.makeRoom(1, [2, 3])
            try world.say(2, "again")
            world.wish(3, .leave)
            world.settle()
            return (world.relay.rooms[Cast.room]?.log ?? []).map(\.digest)
        }
        let first = try log()
        #expect(!first.isEmpty)
        #expect(try log() == first)
    }
}
