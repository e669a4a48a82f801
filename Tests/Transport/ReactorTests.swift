import CLinux
import Glibc
import MildamSystem
import Testing

@testable import MildamTransport

@Suite("The loop's turns")
struct ReactorTests {
    /// What happened, by a clock that only the served move on.
    private final class Events {
        var time: UInt64 = 1_000_000
        /// The numbers of those that were ready; negative, of those whose time had passed.
        var served: [Int] = []
    }

    /// Ready until somebody reads it.
    private final class Bell: Channel {
        private let number: Int
        private let descriptor: Descriptor
        private let isRead: Bool
        private let events: Events
        private var id: ChannelID?
        /// Nanoseconds that it keeps the loop.
        private let work: UInt64

        init(
            _ number: Int,
            standsBack: Bool,
            isRead: Bool,
            work: UInt64 = 0,
            on reactor: Reactor,
            telling events: Events
        ) throws {
            (self.number, self.isRead, self.work, self.events) = (number, isRead, work, events)
            let made = eventfd(1, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            try #require(made >= 0)
            descriptor = Descriptor(owning: made)
            let id = try reactor.register(self, descriptor.number, .read)
            reactor.setStandsBack(standsBack, of: id)
            self.id = id
        }

        /// In monotonic nanoseconds.
        func setDeadline(_ moment: UInt64, on reactor: Reactor) {
            if let id { reactor.setDeadline(moment, of: id) }
        }

        func ready(_ readiness: Readiness) {
            events.served.append(number)
            events.time += work
            var value: eventfd_t = 0
            if isRead { unsafe eventfd_read(descriptor.number, &value) }
        }

        func deadlinePassed() { events.served.append(-number) }
        func abort() {}
    }

    @Test("who holds a whole request goes before any number of those who send theirs in pieces")
    func wholeRequestsGoFirst() throws {
        let events = Events()
        let reactor = try Reactor { events.time }
        let bells = try (0..<200).map {
            try Bell($0, standsBack: $0 != 150, isRead: true, on: reactor, telling: events)
        }
        reactor.turn(mayWait: false)
        #expect(events.served.first == 150)
        #expect(events.served.count == 1 + TurnPortion.least)
        for _ in 0..<200 / TurnPortion.least { reactor.turn(mayWait: false) }
        #expect(events.served.sorted() == Array(bells.indices), "each has had its turn, once")
    }

    @Test("when many have had their time at once, who is ready is served between them")
    func deadlinesTakeTurns() throws {
        let events = Events()
        let reactor = try Reactor { events.time }
        let bells = try (0..<100).map {
            try Bell($0, standsBack: false, isRead: $0 > 0, on: reactor, telling: events)
        }
        reactor.turn(mayWait: false)
        events.served = []
        for bell in bells[1...] { bell.setDeadline(1, on: reactor) }
        for _ in 0..<4 { reactor.turn(mayWait: false) }
        let isLate = events.served.map { $0 < 0 }
        #expect(isLate.count { $0 } == 99 && isLate.count { !$0 } == 4)
        #expect(isLate.split(separator: false).allSatisfy { $0.count <= TurnPortion.least })
    }

    @Test("of those who are always ready, everybody has a turn")
    func nobodyStarves() throws {
        let events = Events()
        let reactor = try Reactor { events.time }
        let bells = try (0..<300).map {
            try Bell($0, standsBack: true, isRead: false, on: reactor, telling: events)
        }
        for _ in 0..<5 * 300 / TurnPortion.least { reactor.turn(mayWait: false) }
        #expect(Set(events.served) == Set(bells.indices))
    }

    @Test("those who stand back, and whose time has come, have a portion of each turn, however many are ready")
    func nobodyWaitsForTheBusy() throws {
        let events = Events()
        let reactor = try Reactor { events.time }
        let bells = try (0..<600).map {
            try Bell($0, standsBack: $0 < 60, isRead: $0 < 60, on: reactor, telling: events)
        }
        for bell in bells[100..<160] { bell.setDeadline(1, on: reactor) }
        for _ in 0..<2 { reactor.turn(mayWait: false) }
        #expect(Set(events.served).isSuperset(of: 0..<60))
        #expect(Set(events.served).isSuperset(of: (100..<160).map(-)))
    }

    @Test("the portion is a quarter of the time that the others took, where that is more")
    func theBusyLeaveAPortion() throws {
        let events = Events()
        let reactor = try Reactor { events.time }
        let bells = try (0..<200).map {
            try Bell($0, standsBack: $0 > 0, isRead: true, work: $0 > 0 ? 10 : 4000, on: reactor, telling: events)
        }
        reactor.turn(mayWait: false)
        #expect(events.served == Array(bells.indices.prefix(1 + 4 * 32)), "100 of them, by 32")
    }
}
