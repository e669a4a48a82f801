import Foundation
import HouseSupport
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// A dishonest relay, as bob meets it while he watches: it lies about what is delivered live.
@Suite("A relay that lies about what happens now")
struct TamperedLiveTests {
    enum Lie: CaseIterable, Sendable {
        case nothing, withheld, reordered, repeated, replayedUnderAnotherNumber, bitFlipped, numberBeyond, otherRoom
    }

    /// alice says three texts. What was only delivered wrongly is fetched, and shown once, in its order; what was changed is
    /// refused, and said to be.
    @Test(arguments: Cases.drawn(3, of: Lie.allCases, for: "lies told live"))
    func messages(_ lie: Lie) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        let (held, count) = (Lock<[LiveEvent]>([]), Lock(0))
        proxy.tamperLive { event in
            guard case .message(let room, var message) = event, message.kind == .application else { return [event] }
            let text = count.withLock { count in
                count += 1
                return count
            }
            switch (lie, text) {
            case (.withheld, 1): return []
            case (.reordered, 1):
                held.withLock { $0 = [event] }
                return []
            case (.reordered, 2): return [event] + held.withLock { $0 }
            case (.repeated, 1): return [event, event, event]
            case (.replayedUnderAnotherNumber, 1):
                held.withLock { $0 = [event] }
                return [event]
            case (.replayedUnderAnotherNumber, 2):
                guard case .message(_, var first)? = held.withLock({ $0 }).first else { return [] }
                first.number = message.number
                return [.message(room: room, message: first)]
            case (.bitFlipped, 2): message.body[message.body.count - 20] ^= 1
            case (.numberBeyond, 2): message.number = 1 << 60
            case (.otherRoom, 2): return [.message(room: .random(), message: message)]
            default: return [event]
            }
            return [.message(room: room, message: message)]
        }
        // Each goes out when the one before has arrived, or its lie has been told.
        for text in ["one", "two", "three"] {
            try await alice.done("send", "kitchen", text)
            if lie != .withheld, lie != .reordered, lie != .otherRoom { try await Task.sleep(for: .milliseconds(300)) }
        }
        let isRefused = lie == .bitFlipped || lie == .replayedUnderAnotherNumber
        #expect(try await watch.line(with: isRefused ? "REFUSED" : "three") != nil, "\(lie)")
        let read = try await bob.run("read", "kitchen")
        watch.signal(SIGTERM)
        let shown = try await watch.end().output.split(separator: "\n").compactMap { line in
            ["one", "two", "three"].first { line.hasSuffix("alice: " + $0) }
        }
        if isRefused {
            #expect(shown.first == "one" && !shown.contains("two"), "\(lie): \(shown)")
            expect(read, 5, "REFUSED of alice: This ", "1 message(s) refused: damaged, forged, or out of place")
        } else {
            #expect(shown == ["one", "two", "three"], "\(lie)")
            #expect(try await bob.texts("kitchen") == ["one", "two", "three"])
        }
    }
}
