import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("A client's rooms: what goes wrong, and the way back")
struct RepairTests {
    @Test("A commit that cannot be processed is mended by coming back, which all are shown")
    func badCommit() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle()
        world.expectOneEpoch([1, 2, 3])
        #expect(world.unreadable(3).contains("forged"))
        #expect(world.notices(3).contains { if case .trouble(.commitNotProcessable) = $0 { true } else { false } })
        #expect(world.notices(3).contains(.troubleIsOver))
        let reasons = world.entries(2).compactMap { (entry) -> RepairReason? in
            if case .cameBack(let reason) = entry.kind { reason } else { nil }
        }
        #expect(reasons.map(\.cause) == [.commitNotProcessable])
        try world.say(3, "back")
        try world.say(1, "welcome")
        world.settle()
        #expect(Set(world.texts(3)) == ["back", "welcome"])
        #expect(Set(world.texts(1)) == ["back", "welcome"])
    }

    @Test("A message that was changed, or that the relay says is another's, is not shown, and the room goes on")
    func badMessages() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "first")
        world.settle()
        world.relay.spoiled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        try world.say(1, "changed on the way to two")
        world.settle()
        world.relay.mislabelled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        try world.say(1, "said to be another's")
        world.settle()
        try world.say(1, "last")
        world.settle()
        #expect(world.texts(2) == ["first", "last"])
        #expect(world.unreadable(2) == ["forged", "mislabelled"])
        #expect(world.texts(3).count == 4)
        world.expectOneEpoch([1, 2, 3])
        // The sender's count tells that there was more.
        #expect(world.notices(2).contains { if case .messagesMissing = $0 { true } else { false } })
    }

    @Test("A commit whose GroupInfo has another key than members have: they put up their own (H10)")
    func badGroupInfo() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        #expect(world.relay.putUp.isEmpty)
        world.relay.spoilsGroupInfo = true
        world.wish(1, .renewKeys)
        world.settle()
        #expect(!world.relay.putUp.isEmpty)
        world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle()
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("What is no longer kept is a gap with a name, and the device comes back")
    func behindRetention() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        try world.say(1, "missed")
        world.wish(1, .renewKeys)
        world.settle()
        try world.say(1, "missed too")
        world.settle()
        world.relay.forget(before: world.relay.last(of: Cast.room), in: Cast.room)
        world.connect(2)
        world.settle()
        #expect(world.unreadable(2).contains("behind-retention"))
        world.expectOneEpoch([1, 2])
        try world.say(1, "seen")
        world.settle()
        #expect(world.texts(2) == ["seen"])
    }

    @Test("A profile that was put back sends nothing before it has come back, and the person is told (H14)")
    func profilePutBack() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        try world.say(2, "two")
        try world.say(2, "three")
        world.settle()
        world.restart(2, from: copy, seed: 50)
        try world.say(2, "four")
        world.settle()
        #expect(world.notices(2).contains(.stateWasPutBack))
        #expect(world.unreadable(2).contains("own-state-older"))
        #expect(world.texts(1) == ["one", "two", "three", "four"])
        #expect(world.unreadable(1).isEmpty)
        world.expectOneEpoch([1, 2])
    }

    @Test("What was typed before a profile was put back, and sent since, is not sent again")
    func sentSince() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        world.disconnect(2)
        let id = try world.say(2, "typed")
        let copy = try #require(world.players[2]?.core.store)
        world.connect(2)
        world.settle()
        world.restart(2, from: copy, seed: 70)
        world.settle()
        #expect(world.texts(1) == ["one", "typed"])
        #expect(world.texts(2) == ["one", "typed"])
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("Who was put out and is invited again is asked again")
    func invitedAgain() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(2, .accept)
        world.settle()
        try world.say(2, "again")
        world.settle()
        #expect(world.texts(1) == ["again"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Somebody else acts with a device's keys: the device is told, and comes back once")
    func keysUsedElsewhere() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "mine")
        world.settle()
        let device = try #require(world.players[2])
        world.disconnect(2)
        // A copy of the profile comes back from outside, since it finds what it does not know.
        let copy = device.core.store
        world.restart(2, seed: 60)
        try world.say(2, "moved on")
        world.settle()
        let present = try #require(world.players[2]?.core.store)
        world.restart(2, from: copy, seed: 61)
        world.settle()
        #expect(world.notices(2).contains(.stateWasPutBack))
        world.restart(2, from: present, seed: 62)
        world.settle()
        #expect(world.notices(2).contains(.keysAreUsedElsewhere))
        world.expectOneEpoch([1, 2])
    }

    @Test("A device that comes back too often is at a stand, and says until when")
    func tooOften() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for _ in 0..<4 {
            // A commit of one's own: only those of others are mended without being counted.
            world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
            world.wish(3, .renewKeys)
            world.settle()
        }
        #expect(world.notices(3).contains { if case .stopped = $0 { true } else { false } })
    }

    @Test(
        "A relay that was put back gets what it lost from its members, under the same numbers (H41)",
        arguments: [1, 3]
    )
    func relayWentBack(_ lost: Int) throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "kept")
        try world.say(2, "answered")
        world.settle()
        let backup = world.relay
        for number in 0..<lost {
            try world.say(number.isMultiple(of: 2) ? 1 : 2, "after \(number)")
            world.settle()
        }
        world.wish(1, .renewKeys)
        world.settle()
        let before = world.relay.rooms[Cast.room]?.log.map(\.digest) ?? []
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        let after = world.relay.rooms[Cast.room]?.log.map(\.digest) ?? []
        #expect(Array(after.prefix(before.count)) == before)
        #expect(world.notices(1).contains { if case .relayWentBack = $0 { true } else { false } })
        try world.say(2, "on we go")
        world.settle()
        #expect(world.texts(1).last == "on we go")
        #expect(world.texts(1) == world.texts(2))
        for person: UInt8 in 1...2 { #expect(world.unreadable(person).isEmpty) }
        world.expectOneEpoch([1, 2])
    }

    @Test("What nobody gives back to a relay is a gap with a name, and the room goes on above it (H41)")
    func lostForGood() throws {
        var world = World([1, 2, 3, 4])
        try world.makeRoom(1, [2, 3, 4])
        for person: UInt8 in 2...4 { try world.say(person, "hello") }
        world.settle()
        let backup = world.relay
        world.disconnect(4)
        try world.say(3, "gone")
        world.settle()
        let highest = world.relay.last(of: Cast.room)
        world.disconnect(3)
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        for person: UInt8 in 1...2 { world.connect(person) }
        try world.say(1, "later")
        world.settle()
        // Nothing is numbered that members know something else by.
        #expect(world.relay.last(of: Cast.room) < highest)
        world.relay.giveUp(upTo: highest, in: Cast.room)
        world.settle()
        #expect(world.texts(2).suffix(2) == ["gone", "later"])
        world.connect(4)
        world.settle()
        #expect(world.unreadable(4) == ["lost-at-restore"])
        #expect(world.texts(4).last == "later")
        #expect(world.notices(4).allSatisfy { if case .trouble = $0 { false } else { true } })
        world.expectOneEpoch([1, 2, 4])
    }
}
