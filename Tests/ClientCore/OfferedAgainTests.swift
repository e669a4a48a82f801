import MildamIdentity
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("What a relay that was put back lacks is offered again until it has it (H41)")
struct OfferedAgainTests {
    private let start: UInt64 = 9_000_000

    private func moment(_ milliseconds: UInt64) -> Moment {
        Moment(steady: start + milliseconds, wall: 1_700_009_000_000 + milliseconds)
    }

    /// A room whose relay has one message less than the second has read.
    private struct Lacking {
        let core: ClientCore
        var room: RoomCore
        /// What the relay shows of it.
        let behind: LogPage
        let kept: [NumberedMessage]

        /// It asks for what the log has more, which is nothing.
        mutating func read(_ draft: inout StepDraft) throws {
            room.advance(&draft)
            guard let fetching = room.live.fetching else { throw CancellationError() }
            room.take(.page(behind), to: fetching, &draft)
        }
    }

    private func lacking() throws -> Lacking {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .renewKeys)
        world.settle()
        let core = try #require(world.players[2]?.core.core)
        var room = try #require(core.rooms[Cast.room])
        let last = world.read(2)
        room.recovery.begin(last: last)
        room.recovery.read(after: last - 1)
        return Lacking(
            core: core,
            room: room,
            behind: world.page(last: last - 1, epoch: world.epoch(2)),
            kept: try #require(world.relay.rooms[Cast.room]?.log)
        )
    }

    @Test("What the relay holds in memory is offered again, though its log does not move")
    func held() throws {
        var lacking = try lacking()
        var first = lacking.core.draft(at: moment(0))
        lacking.room.refill(lacking.kept, &first)
        let refilling = try #require(lacking.room.live.fetching)
        lacking.room.take(.refilled(lacking.behind), to: refilling, &first)
        #expect(lacking.room.recovery.progress == .waitingForOthers)
        for (time, isAgain) in [(1_000, false), (19_000, false), (20_000, true)] as [(UInt64, Bool)] {
            var next = lacking.core.draft(at: moment(time))
            try lacking.read(&next)
            #expect((lacking.room.recovery.progress == .reading) == isAgain)
            #expect(next.step.effects.contains { if case .readKept = $0 { true } else { false } } == isAgain)
        }
        var last = lacking.core.draft(at: moment(20_000))
        lacking.room.refill(lacking.kept, &last)
        #expect(last.step.effects.contains { if case .request(_, .refill) = $0 { true } else { false } })
    }

    @Test("What may be taken later is offered again, each time later than before", arguments: [true, false])
    func refused(_ isAnswered: Bool) throws {
        var lacking = try lacking()
        let reply = isAnswered ? RelayReply.refused(.full) : .unreachable
        var (pauses, now): ([UInt64], UInt64) = ([], 0)
        for _ in 0..<7 {
            var draft = lacking.core.draft(at: moment(now))
            lacking.room.refill(lacking.kept, &draft)
            let refilling = try #require(lacking.room.live.fetching)
            lacking.room.take(reply, to: refilling, &draft)
            pauses.append(lacking.room.live.retryAt - moment(now).steady)
            now = lacking.room.live.retryAt - start
            var later = lacking.core.draft(at: moment(now))
            try lacking.read(&later)
            #expect(lacking.room.recovery.progress == .reading)
        }
        #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    }

    @Test("What is refused for good is not offered again before the log has moved")
    func refusedForGood() throws {
        var lacking = try lacking()
        var draft = lacking.core.draft(at: moment(0))
        lacking.room.refill(lacking.kept, &draft)
        let refilling = try #require(lacking.room.live.fetching)
        lacking.room.take(.refused(.other(code: "bad_request")), to: refilling, &draft)
        for time in [1_000, 30_000] as [UInt64] {
            var next = lacking.core.draft(at: moment(time))
            try lacking.read(&next)
            #expect(lacking.room.recovery.progress == .waitingForOthers)
        }
    }
}
