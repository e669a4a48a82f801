import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("A profile or a relay that was put back: each sentence of H14 and H41")
struct PutBackTests {
    /// The moment of a step by hand.
    private let moment = Moment(steady: 9_000_000, wall: 1_700_009_000_000)

    /// What a step keeps for others, and for how many seconds.
    private func kept(_ step: Step) -> [(kind: NumberedMessage.Kind, seconds: UInt64)] {
        step.changes.compactMap { change in
            guard case .keep(_, let message, let until) = change else { return nil }
            return (message.kind, until - moment.wallSeconds)
        }
    }

    @Test("After each start nothing is sealed in a room before its log was read to the end (H14)")
    func startReadsFirst() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        world.disconnect(2)
        try world.say(2, "typed")
        let store = try #require(world.players[2]?.core.store)
        try world.say(1, "meanwhile")
        world.settle()
        world.restart(2, from: store, seed: 40)
        let first = world.asked(2)
        #expect(first.contains { if case .page = $0.request { true } else { false } })
        #expect(!first.contains { if case .send = $0.request { true } else { false } })
        for (id, request) in first {
            world.take(2, [.reply(id, world.relay.answer(request, from: Cast.device(2)))])
        }
        #expect(world.sent(2)?.message.kind == .application)
        #expect(world.read(2) == world.relay.last(of: Cast.room))
    }

    @Test("Who finds a commit of its own leaf that it does not know seals nothing before it has come back (H14)")
    func unknownCommit() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        world.wish(2, .renewKeys)
        world.settle()
        world.restart(2, from: copy, seed: 41)
        try world.say(2, "two")
        for (id, request) in world.asked(2) {
            world.take(2, [.reply(id, world.relay.answer(request, from: Cast.device(2)))])
        }
        #expect(world.players[2]?.room()?.trouble?.cause.code == "own-state-older")
        #expect(world.sent(2) == nil)
        world.settle()
        #expect(world.notices(2).contains(.stateWasPutBack))
        #expect(world.texts(1) == ["one", "two"])
        world.expectOneEpoch([1, 2])
    }

    @Test(
        "Who is put out while their profile is an older one has nothing to come back for, and can be invited again",
        arguments: [false, true]
    )
    func putOutWhileOlder(isBegunAnew: Bool) throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        try world.say(2, "two")
        world.settle()
        if isBegunAnew {
            // The copy cannot read that it is put out.
            world.wish(2, .renewKeys)
            world.settle()
        }
        world.disconnect(2)
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        if isBegunAnew {
            world.wish(1, .renewRoom(above: 0))
            world.settle()
        }
        world.restart(2, from: copy, seed: 46)
        world.settle()
        #expect(world.notices(2).contains(.stateWasPutBack))
        #expect(world.players[2]?.room()?.standing == .removed)
        #expect(world.players[2]?.room()?.trouble == nil)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.wish(2, .accept)
        world.settle()
        try world.say(2, "three")
        world.settle()
        #expect(world.texts(1) == ["one", "two", "three"])
        world.expectOneEpoch([1, 2])
    }

    @Test("A relay that was put back is compared with and given back what it lacks before anything is sent (H41)")
    func comparesFirst() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "kept")
        world.settle()
        let backup = world.relay
        try world.say(1, "given back")
        world.settle()
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        try world.say(1, "typed meanwhile")
        world.connect(1)
        for _ in 0..<2 {
            let asked = world.asked(1)
            #expect(!asked.contains { if case .send = $0.request { true } else { false } })
            for (id, request) in asked {
                world.take(1, [.reply(id, world.relay.answer(request, from: Cast.device(1)))])
            }
        }
        world.settle()
        world.connect(2)
        world.settle()
        #expect(world.texts(2) == ["kept", "given back", "typed meanwhile"])
        world.expectOneEpoch([1, 2])
    }

    @Test(
        "A relay that was put back: who had left comes in by a key package of now; where it does not know, from outside (H41, H13)",
        arguments: [true, false]
    )
    func usedKeyPackage(_ isKnown: Bool) throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        let backup = world.relay
        let invitation = Wish.invite(Cast.account(2), Cast.roomIdentity(2))
        world.wish(1, invitation)
        world.settle()
        world.wish(2, .accept)
        world.settle()
        world.wish(2, .leave)
        world.take(2, [.noMember(Cast.room)])
        world.settle()
        #expect(world.players[2]?.room()?.isLeftBehind == true)
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = isKnown ? backup.restored(as: 2) : backup
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        world.wish(1, invitation)
        world.settle()
        #expect(world.notices(2).contains(.trouble(.welcomeDoesNotOpen)) == !isKnown)
        let id = world.wish(2, .accept)
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.entries(1).contains { if case .cameBack = $0.kind { true } else { false } } == !isKnown)
        try world.say(2, "in again")
        world.settle()
        #expect(world.texts(1) == ["in again"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Bytes of handshake messages are kept for 30 days, one's own for seven, others' not at all (H41)")
    func keptBytes() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.disconnect(2)
        try world.say(1, "another's")
        world.wish(1, .renewKeys)
        world.settle()
        var reader = try #require(world.players[2]?.core.core)
        let others = world.relay.page(Cast.room, after: world.read(2), for: Cast.account(2))
        let read = kept(reader.step([.live(others)], at: moment))
        #expect(read.map(\.kind) == [.commit])
        #expect(read.map(\.seconds) == [30 * 86_400])
        try world.say(1, "own")
        let asked = world.sent(1)
        let sent = try #require(asked)
        _ = world.relay.answer(.send(Cast.room, sent.message), from: Cast.device(1))
        var sender = try #require(world.players[1]?.core.core)
        let own = world.relay.page(Cast.room, after: world.read(1), for: Cast.account(1))
        let said = kept(sender.step([.live(own)], at: moment))
        #expect(said.map(\.kind) == [.application])
        #expect(said.map(\.seconds) == [7 * 86_400])
    }

    @Test("One's own text that nobody gave back is said again, once; who had not read it has a named gap (H41)")
    func saidAgain() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "kept")
        world.settle()
        let backup = world.relay
        world.disconnect(3)
        try world.say(1, "gone")
        world.settle()
        let highest = world.relay.last(of: Cast.room)
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.relay.giveUp(upTo: highest, in: Cast.room)
        for person: UInt8 in 1...3 { world.connect(person) }
        world.settle()
        for person: UInt8 in 1...3 {
            world.restart(person, seed: 44 + person)
            world.settle()
        }
        #expect(world.texts(1) == ["kept", "gone", "gone"])
        #expect(world.texts(2) == ["kept", "gone", "gone"])
        #expect(world.texts(3) == ["kept", "gone"])
        #expect(world.unreadable(3) == ["lost-at-restore"])
        for person: UInt8 in 1...3 {
            #expect(!world.notices(person).contains { if case .trouble = $0 { true } else { false } })
        }
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("A commit that is lost for good: members come back; an admin may renew the room (H41)")
    func commitLost() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "kept")
        world.settle()
        let backup = world.relay
        world.wish(1, .renewKeys)
        world.settle()
        let highest = world.relay.last(of: Cast.room)
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.relay.giveUp(upTo: highest, in: Cast.room)
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        try world.say(1, "on")
        world.settle()
        #expect(world.texts(2) == ["kept", "on"])
        world.expectOneEpoch([1, 2])
        let id = world.wish(1, .renewRoom(above: 0))
        world.settle()
        #expect(world.times(1, isDone: id) == 1)
        try world.say(2, "renewed")
        world.settle()
        #expect(world.texts(1) == ["kept", "on", "renewed"])
        world.expectOneEpoch([1, 2])
    }
}
