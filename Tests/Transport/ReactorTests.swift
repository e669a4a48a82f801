import CLinux
import Glibc
import MildamSystem
import Testing

@testable import MildamTransport

@Suite("The loop's turns")
struct ReactorTests {
    private final class Events {
        var served: [Int] = []
    }

    /// Ready until somebody reads it.
    private final class Bell: Channel {
        let standsBack: Bool
        private let number: Int
        private let descriptor: Descriptor
        private let isRead: Bool
        private let events: Events

        init(_ number: Int, standsBack: Bool, isRead: Bool, on reactor: Reactor, telling events: Events) throws {
            (self.number, self.standsBack, self.isRead, self.events) = (number, standsBack, isRead, events)
            descriptor = Descriptor(owning: eventfd(1, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
            _ = try reactor.register(self, descriptor.number, .read)
        }

        func ready(_ readiness: Readiness) {
            events.served.append(number)
            var value: eventfd_t = 0
            if isRead { unsafe eventfd_read(descriptor.number, &value) }
        }

        func deadlinePassed() {}
        func abort() {}
    }

    @Test("who holds a whole request goes before any number of those who send theirs in pieces")
    func wholeRequestsGoFirst() throws {
        let (reactor, events) = (try Reactor(), Events())
        let bells = try (0..<200).map {
            try Bell($0, standsBack: $0 != 150, isRead: true, on: reactor, telling: events)
        }
        reactor.turn(mayWait: false)
        #expect(events.served.first == 150)
        #expect(events.served.count == 1 + Reactor.maxBehind)
        for _ in 0..<200 / Reactor.maxBehind { reactor.turn(mayWait: false) }
        #expect(events.served.sorted() == Array(bells.indices), "each has had its turn, once")
    }

    @Test("of those who are always ready, everybody has a turn")
    func nobodyStarves() throws {
        let (reactor, events) = (try Reactor(), Events())
        let bells = try (0..<600).map {
            try Bell($0, standsBack: true, isRead: false, on: reactor, telling: events)
        }
        for _ in 0..<5 * 600 / Reactor.maxBehind { reactor.turn(mayWait: false) }
        #expect(Set(events.served) == Set(bells.indices))
    }
}
