import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("What the relay does not do for one wish holds up no other")
struct RefusedWishTests {
    /// What a person's client asks for now, of a kind.
    private func require(
        _ person: UInt8,
        in world: inout World,
        _ isWanted: (RoomRequest) -> Bool
    ) throws -> RequestID {
        let wanted = world.asked(person).first { isWanted($0.request) }
        return try #require(wanted).id
    }

    private func isClaim(_ request: RoomRequest) -> Bool { if case .claim = request { true } else { false } }

    private func isCreation(_ request: RoomRequest) -> Bool { if case .create = request { true } else { false } }

    @Test("An invitation whose key packages do not come: what is typed goes out, and it can be taken back")
    func unansweredClaim() throws {
        for reply in [RelayReply.unreachable, .refused(.busy)] {
            var world = World([1, 2])
            try world.makeRoom(1, [2])
            let invitation = world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
            let claim = try require(1, in: &world, isClaim)
            world.take(1, [.reply(claim, reply)])
            try world.say(1, "typed")
            world.settle(for: 100)
            #expect(world.texts(2) == ["typed"])
            #expect(world.players[1]?.room()?.intents.map(\.id) == [invitation])
            world.take(1, [.drop(Cast.room, invitation)])
            world.settle()
            #expect(world.notices(1).contains(.wishFailed(invitation, code: "dropped")))
            world.expectOneEpoch([1, 2])
        }
    }

    @Test("It is asked for again after a while")
    func laterClaim() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        let invitation = world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        let claim = try require(1, in: &world, isClaim)
        world.take(1, [.reply(claim, .refused(.busy))])
        world.settle()
        #expect(world.times(1, isDone: invitation) == 1)
        #expect(world.players[2]?.room()?.standing == .invited)
    }

    @Test("A duty that is refused is tried again later, and nobody is told of it")
    func refusedDuty() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.take(1, [.device(Cast.device(1, keys: 1))])
        let first = world.sent(1)
        let commit = try #require(first)
        world.take(1, [.reply(commit.id, .refused(.invalidCommit(rule: "none")))])
        let second = world.sent(1)
        #expect(second == nil, "it is not sent again at once")
        world.settle()
        #expect(!world.notices(1).contains { if case .wishFailed = $0 { true } else { false } })
        let leaves = world.players[2]?.room()?.members?.leaves(of: Cast.account(1))
        #expect(leaves?.map(\.signatureKey) == [Cast.device(1, keys: 1).signing.publicKey])
        world.expectOneEpoch([1, 2])
    }

    /// The key packages that a person's client offers now.
    private func offer(_ person: UInt8, in world: inout World) throws -> (id: RequestID, keyPackages: [[UInt8]]) {
        let offers = world.asked(person).compactMap { (id, request) -> (id: RequestID, keyPackages: [[UInt8]])? in
            if case .keyPackages(let keyPackages) = request { (id, keyPackages) } else { nil }
        }
        return try #require(offers.first)
    }

    @Test("A text that the relay has no room for: others are put out, keys are renewed, and later texts wait behind it")
    func fullRoom() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.relay.isFull = true
        let (first, second) = (try world.say(1, "first"), try world.say(1, "second"))
        world.settle()
        #expect(world.notices(1).contains(.wishWaits(first, code: "busy")))
        let (removal, keys) = (world.wish(1, .remove(Cast.account(3))), world.wish(1, .renewKeys))
        world.settle()
        #expect(world.times(1, isDone: removal) == 1 && world.times(1, isDone: keys) == 1)
        #expect(world.players[1]?.room()?.intents.map(\.id) == [first, second])
        world.relay.isFull = false
        world.settle()
        #expect(world.texts(2) == ["first", "second"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Who leaves a full room has left, and what they could not say is kept")
    func leavingFullRoom() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.relay.isFull = true
        let typed = try world.say(2, "never")
        world.settle()
        let leaving = world.wish(2, .leave)
        world.settle()
        #expect(world.times(2, isDone: leaving) == 1)
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.players[2]?.room()?.unsaid.map(\.id) == [typed])
    }

    @Test("What the relay has no room for stays the same message, is tried ever less often, and goes out in the end")
    func heldMessage() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "before")
        world.settle()
        world.relay.isFull = true
        let id = try world.say(1, "typed")
        world.settle()
        let first = try #require(world.players[1]?.room()?.intents.first)
        guard case .held = first.progress else {
            Issue.record("\(first.progress)")
            return
        }
        world.settle(for: 600_000)
        let later = world.players[1]?.room()?.intents.first
        #expect(later?.progress == first.progress, "others go only so far with its keys")
        let waits = world.notices(1).count { $0 == .wishWaits(id, code: "busy") }
        #expect((10...30).contains(waits))
        world.restart(1, seed: 70)
        world.settle()
        #expect(world.players[1]?.room()?.intents.first?.progress == first.progress)
        world.relay.isFull = false
        world.settle()
        #expect(world.texts(2) == ["before", "typed"])
        world.expectOneEpoch([1, 2])
    }

    @Test("What the relay has no room for can be dropped, and what comes after it goes out")
    func droppedFromFullRoom() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.relay.isFull = true
        let (first, second) = (try world.say(1, "first"), try world.say(1, "second"))
        world.settle()
        world.take(1, [.drop(Cast.room, first)])
        world.relay.isFull = false
        world.settle()
        #expect(world.notices(1).contains(.wishFailed(first, code: "dropped")))
        #expect(world.times(1, isDone: second) == 1)
        #expect(world.texts(2) == ["second"])
        world.expectOneEpoch([1, 2])
    }

    /// Lets the time pass until a person's client wants to do something, and lets it; the relay hears nothing of it.
    ///
    /// - Returns: how many milliseconds that took.
    private func wait(for person: UInt8, in world: inout World) throws -> UInt64 {
        let effects = world.players[person]?.core.delivery.takeAll() ?? []
        let moments = effects.compactMap { (effect) -> UInt64? in
            if case .wake(let moment) = effect { moment } else { nil }
        }
        let next = try #require(moments.min())
        let span = next - world.now
        world.players[person]?.wakeAt = nil
        world.settle(for: span)
        world.take(person, [.tick])
        return span
    }

    @Test("What may pass is tried again after less than ten seconds, however often it was in vain")
    func inVain() throws {
        for reply in [RelayReply.unreachable, .refused(.busy)] {
            var world = World([1, 2])
            try world.makeRoom(1, [2])
            try world.say(1, "typed")
            var spans: [UInt64] = []
            for _ in 0..<10 {
                let asked = world.sent(1)
                let sent = try #require(asked)
                world.take(1, [.reply(sent.id, reply)])
                spans.append(try wait(for: 1, in: &world))
            }
            #expect(spans == spans.sorted() && spans.allSatisfy { $0 > 0 && $0 < 10_000 }, "\(spans)")
            world.settle()
            #expect(world.texts(2) == ["typed"])
            world.expectOneEpoch([1, 2])
        }
    }

    @Test("A duty that was in vain for long in a group that is left is no later in the next one (H9)")
    func dutyInVain() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(3)
        world.take(2, [.closing(Cast.closing(3))])
        var refusals = 0
        for _ in 0..<100 where refusals < 12 {
            if let sent = world.sent(2) {
                refusals += 1
                world.take(2, [.reply(sent.id, .refused(.commitRate))])
            } else {
                _ = try wait(for: 2, in: &world)
            }
        }
        try #require(refusals == 12)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        #expect(world.players[2]?.room()?.generation == 1)
        #expect(world.players[1]?.room()?.members?.contains(Cast.account(3)) == false)
        world.expectOneEpoch([1, 2])
    }

    @Test("A change of the room that comes too soon waits by itself: what is typed goes out before it")
    func commitRate() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let keys = world.wish(1, .renewKeys)
        let asked = world.sent(1)
        let commit = try #require(asked)
        world.take(1, [.reply(commit.id, .refused(.commitRate))])
        try world.say(1, "typed")
        world.settle(for: 0)
        #expect(world.texts(2) == ["typed"])
        #expect(world.notices(1).contains(.wishWaits(keys, code: "commit-rate")))
        world.settle()
        #expect(world.times(1, isDone: keys) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("A change that was refused, and is taken when what was sent comes a second time, counts")
    func refusedAndTaken() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let keys = world.wish(1, .renewKeys)
        let asked = world.sent(1)
        let commit = try #require(asked)
        world.take(1, [.reply(commit.id, .refused(.commitRate))])
        try world.say(1, "typed")
        world.settle(for: 0)
        let answer = world.relay.answer(.send(Cast.room, commit.message), from: Cast.device(1))
        guard case .accepted = answer else {
            Issue.record("the relay does not take it")
            return
        }
        world.settle()
        #expect(world.times(1, isDone: keys) == 1)
        #expect(!world.notices(1).contains { if case .trouble = $0 { true } else { false } })
        try world.say(1, "on")
        world.settle()
        #expect(world.texts(2) == ["typed", "on"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A fresh group that comes too soon is the same one when it is asked for again")
    func renewalRate() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let renewal = world.wish(1, .renewRoom(above: 0))
        let asked = world.sent(1)
        let sent = try #require(asked)
        #expect(sent.message.kind == .generation)
        world.take(1, [.reply(sent.id, .refused(.commitRate))])
        try world.say(1, "before it")
        world.settle(for: 0)
        #expect(world.texts(2) == ["before it"])
        world.settle()
        #expect(world.times(1, isDone: renewal) == 1)
        #expect(world.relay.rooms[Cast.room]?.log.contains { $0.body == sent.message.body } == true)
        world.expectOneEpoch([1, 2])
    }

    @Test("Key packages that the relay does not take are offered again, and no others are made")
    func refusedKeyPackages() throws {
        var world = World([1])
        let first = try offer(1, in: &world)
        let held = world.players[1]?.core.core.keyPackages.held.count
        for reply in [RelayReply.refused(.busy), .unreachable] {
            world.take(1, [.reply(first.id, reply), .stock(left: 0)])
            let again = try offer(1, in: &world)
            #expect(again.keyPackages == first.keyPackages)
            #expect(world.players[1]?.core.core.keyPackages.held.count == held)
        }
        world.take(1, [.disconnected, .connected, .stock(left: 0)])
        let last = try offer(1, in: &world)
        #expect(last.keyPackages == first.keyPackages)
        world.take(1, [.reply(last.id, .done), .stock(left: 0)])
        let others = try offer(1, in: &world)
        #expect(others.keyPackages != first.keyPackages)
    }

    @Test("A room that the relay refuses to make tells why it waits, and can be left and forgotten")
    func refusedRoom() throws {
        for isLeftFirst in [true, false] {
            var world = World([1])
            world.take(1, [.create(Cast.room, try RoomInfo(name: "garden"), [.membersInvite])])
            let creation = try require(1, in: &world, isCreation)
            let waiting = try world.say(1, "waits")
            let early = isLeftFirst ? world.wish(1, .leave) : nil
            world.take(1, [.reply(creation, .refused(.other(code: "room_taken")))])
            let leaving = early ?? world.wish(1, .leave)
            #expect(world.players[1]?.room()?.standing == .left)
            world.settle(for: 0)
            #expect(world.times(1, isDone: leaving) == 1)
            #expect(world.notices(1).contains(.wishFailed(waiting, code: "no-member")))
            #expect(world.notices(1).contains(.wishWaits(waiting, code: "room_taken")) != isLeftFirst)
            world.take(1, [.forget(Cast.room)])
            #expect(world.players[1]?.room() == nil)
        }
    }

    @Test("An invitation to a room that was begun anew meanwhile can be declined")
    func declinedAfterRenewal() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        let last = world.relay.last(of: Cast.room)
        let id = world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.relay.last(of: Cast.room) == last, "nobody hears of it")
        world.take(2, [.forget(Cast.room)])
        #expect(world.players[2]?.room() == nil)
    }
}
