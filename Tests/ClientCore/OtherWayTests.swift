import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("A relay that was put back more than once, and has come by another way to where a device is (H41)")
struct OtherWayTests {
    private let moment = Moment(steady: 9_000_000, wall: 1_700_009_000_000)

    /// A room of two, of which the second knows that it came into its epoch by a message of such a number.
    private func entered() throws -> (core: ClientCore, room: RoomCore, world: World) {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .renewKeys)
        world.settle()
        try world.say(1, "after that")
        world.settle()
        let core = try #require(world.players[2]?.core.core)
        let room = try #require(core.rooms[Cast.room])
        #expect(room.enteredAt == world.read(2) - 1)
        return (core, room, world)
    }

    @Test("An epoch of the same number is another one where the relay has lost what the device came in by")
    func sameNumber() throws {
        let (core, begun, world) = try entered()
        let (number, epoch) = (world.read(2), world.epoch(2))
        for (incarnation, lost, isElsewhere) in [
            (2, [begun.enteredAt...number], true), (2, [number...number], false),
            (1, [begun.enteredAt...number], false),
        ] as [(UInt8, [ClosedRange<UInt64>], Bool)] {
            var (room, draft) = (begun, core.draft(at: moment))
            let page = world.page(last: number, epoch: epoch, incarnation: incarnation, lost: lost)
            room.take(page, isAnswer: true, &draft)
            room.goOnRecovering(page, &draft)
            #expect((room.trouble?.cause == .commitNotProcessable(number: number)) == isElsewhere)
            #expect(room.hasRelayGoneBack == isElsewhere)
        }
    }

    @Test("… and where it has another message in that one's place")
    func replaced() throws {
        let (core, begun, world) = try entered()
        let log = try #require(world.relay.rooms[Cast.room]?.log)
        for (number, isElsewhere) in [(begun.enteredAt, true), (world.read(2), false)] {
            var (room, draft) = (begun, core.draft(at: moment))
            let message = try #require(log.first { $0.number == number }).spoiled
            let page = LogPage(
                room: Cast.room,
                messages: [message],
                first: 1,
                last: world.read(2),
                epoch: world.epoch(2),
                incarnation: [UInt8](repeating: 2, count: LogPage.incarnationSize)
            )
            // By the first page it sees that the store is another one.
            for _ in 0..<2 { room.take(page, isAnswer: true, &draft) }
            #expect((room.trouble != nil) == isElsewhere)
        }
    }

    @Test(
        "Two ways to one epoch: who is on the lost one comes to the other, or hears that it is out there; who is there stays",
        arguments: [true, false],
        [true, false]
    )
    func bothWays(_ isNamedLost: Bool, _ putsOut: Bool) throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let backup = world.relay
        world.disconnect(1)
        world.wish(3, .renewKeys)
        world.settle()
        let lost = world.relay.last(of: Cast.room)
        for person: UInt8 in 2...3 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        if isNamedLost { world.relay.giveUp(upTo: lost, in: Cast.room) }
        world.connect(1)
        world.wish(1, putsOut ? .remove(Cast.account(2)) : .renewKeys)
        world.settle()
        #expect(world.epoch(1) == world.epoch(2) && world.epoch(1) == world.epoch(3))
        #expect(world.relay.last(of: Cast.room) == lost + (isNamedLost ? 1 : 0))
        for person: UInt8 in 2...3 { world.connect(person) }
        world.settle()
        let isTroubled = (1...3 as ClosedRange<UInt8>).map { person in
            world.notices(person).contains { if case .trouble(.commitNotProcessable) = $0 { true } else { false } }
        }
        #expect(isTroubled == [false, true, true])
        let standing = try #require(world.players[2]?.room()?.standing)
        #expect(standing == (putsOut ? .removed : .member))
        try world.say(3, "on")
        world.settle()
        #expect(world.texts(1) == ["on"])
        world.expectOneEpoch(putsOut ? [1, 3] : [1, 2, 3])
    }

    @Test(
        "What the relay has after it was given back something is compared, since others may have given back something else"
    )
    func comparedAfterwards() throws {
        let (core, begun, world) = try entered()
        let number = world.read(2)
        var (room, draft) = (begun, core.draft(at: moment))
        room.recovery.begin(last: number)
        room.recovery.read(after: number - 1)
        let log = try #require(world.relay.rooms[Cast.room]?.log)
        room.refill(log, &draft)
        #expect(room.recovery.progress == .refilling)
        let refilling = try #require(room.live.fetching)
        room.take(.refilled(world.page(last: number, epoch: world.epoch(2))), to: refilling, &draft)
        #expect(room.recovery.readsFrom == number - 1, "it is asked for what has that number")
        let mine = try #require(log.last)
        let page = LogPage(
            room: Cast.room,
            messages: [mine.spoiled],
            first: 1,
            last: number,
            epoch: world.epoch(2),
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        room.fetch(&draft)
        let fetching = try #require(room.live.fetching)
        room.take(.page(page), to: fetching, &draft)
        #expect(try #require(room.recovery.readsFrom) < number - 1, "others have another one there")
    }

    /// Which numbers a device gives back of those that it keeps.
    private func givenBack(_ room: RoomCore, _ core: ClientCore, _ log: [NumberedMessage]) -> [UInt64] {
        var (room, draft) = (room, core.draft(at: moment))
        room.recovery.begin(last: 0)
        room.recovery.read(after: 0)
        room.refill(log, &draft)
        return draft.step.effects.flatMap { effect -> [UInt64] in
            guard case .request(_, .refill(_, let messages)) = effect else { return [] }
            return messages.map(\.number)
        }
    }

    @Test("What was lost before is not given back by who has gone on without it, and is by who has not")
    func ofAnotherPast() throws {
        let (core, begun, world) = try entered()
        let log = try #require(world.relay.rooms[Cast.room]?.log)
        let all = log.map(\.number)
        #expect(givenBack(begun, core, log) == all)
        var room = begun
        room.recovery.lose([1...2])
        #expect(givenBack(room, core, log) == all.filter { $0 > 2 })
        room.recovery.lose([room.enteredAt...room.enteredAt])
        #expect(givenBack(room, core, log) == all, "it is in the epoch of what was lost")
    }

    @Test("Its GroupInfo is given to a relay that was given back a commit, until the relay has it, and no longer")
    func owedGroupInfo() throws {
        let (core, begun, world) = try entered()
        var room = begun
        room.recovery.owe(infoOf: world.epoch(2))
        func ask(_ second: UInt64) -> RequestID? {
            var draft = core.draft(at: Moment(steady: 9_000_000 + second * 1000, wall: 1_700_009_000_000))
            room.advance(&draft)
            for case .request(let id, .groupInfo) in draft.step.effects { return id }
            return nil
        }
        func take(_ reply: RelayReply, to request: RequestID, _ second: UInt64) {
            var draft = core.draft(at: Moment(steady: 9_000_000 + second * 1000, wall: 1_700_009_000_000))
            room.take(reply, to: request, &draft)
        }
        for (turn, reply) in [RelayReply.unreachable, .refused(.busy), .done].enumerated() {
            let request = try #require(ask(UInt64(turn) * 20))
            #expect(ask(UInt64(turn) * 20 + 1) == nil, "it is on its way")
            take(reply, to: request, UInt64(turn) * 20 + 2)
        }
        #expect(ask(80) == nil && room.recovery.owedInfo == nil)
        room.recovery.owe(infoOf: world.epoch(2) - 1)
        #expect(ask(100) == nil && room.recovery.owedInfo == nil, "that epoch is over")
    }

    @Test("How far a recovery is, and what it knows, is stored")
    func stored() throws {
        var recovery = RelayRecovery()
        _ = recovery.meet([UInt8](repeating: 3, count: LogPage.incarnationSize))
        recovery.read(after: 12)
        recovery.lose([4...6, 9...9])
        recovery.settle([9...9])
        recovery.owe(infoOf: 7)
        var writer = WireWriter(capacity: 128)
        recovery.store(into: &writer)
        let bytes = writer.bytes
        var reader = WireReader(bytes.span)
        let read = try RelayRecovery(stored: &reader)
        #expect(read == recovery)
        #expect(read.owedInfo == 7 && read.isGone(9) && read.lost == [4...6] && read.given == 12)
    }

    @Test("After a relay was put back, its members put up a GroupInfo, though nobody commits")
    func putsUp() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let backup = world.relay
        world.wish(2, .renewKeys)
        world.settle()
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.relay = backup.restored(as: 2)
        world.connect(1)
        world.settle()
        guard case .group(let reply) = world.relay.answer(.group(Cast.room), from: Cast.device(1)) else {
            Issue.record("no group")
            return
        }
        #expect(reply.groupInfos.count == 1)
        #expect(world.players[1]?.room()?.recovery.owedInfo == nil)
        world.expectOneEpoch([1])
    }

    @Test("Who is in no group that the room has, and cannot read why, is out of it")
    func stranger() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(2)
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        for (person, standing) in [(2, .removed), (3, .member)] as [(UInt8, RoomCore.Standing)] {
            let core = try #require(world.players[person]?.core.core)
            var (room, draft) = (try #require(core.rooms[Cast.room]), core.draft(at: moment))
            let (first, last) = (world.relay.last(of: Cast.room) + 5, world.relay.last(of: Cast.room) + 9)
            room.take(world.page(first: first, last: last, epoch: 9), isAnswer: true, &draft)
            #expect(room.trouble?.cause == .behindRetention(first: first))
            var relay = world.relay
            guard case .group(let reply) = relay.answer(.group(Cast.room), from: Cast.device(1)) else {
                Issue.record("no group")
                return
            }
            if standing == .member { room.standing = .member }
            room.comeIn(reply, &draft)
            #expect(room.standing == standing)
            #expect((room.joining == nil) == (standing == .removed))
            let isTold = draft.step.effects.contains { if case .tell(_, .removed) = $0 { true } else { false } }
            #expect(isTold == (standing == .removed))
        }
    }
}
