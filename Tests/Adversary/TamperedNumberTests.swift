import Foundation
import Glibc
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// A dishonest relay, as alice meets it: its numbers and times are such that nothing can be added to them. Each command
/// says so, and ends with the status for forged data, not by a signal.
@Suite("A relay that lies about numbers and times")
struct TamperedNumberTests {
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person

        static func set() async throws -> Scene {
            let house = try await House.open()
            let proxy = try TamperingProxy.start(before: house.relay.url)
            let alice = house.person("alice", at: proxy.url)
            try await house.settle(alice)
            try await house.room("kitchen", of: [alice])
            return Scene(house: house, proxy: proxy, alice: alice)
        }
    }

    @Test("times of the log and of sessions", arguments: [.min, .max, .max / 1000 + 1, -1] as [Int64])
    func times(_ time: Int64) async throws {
        let scene = try await Scene.set()
        scene.proxy.tamper { route, _, answer in
            switch route {
            case Routes.accountLog.path: try answer.changing(AuditLog.self) { $0.entries[0].time = time }
            case Routes.sessions.path: try answer.changing(SessionList.self) { $0.sessions[0].refreshed = time }
            default: answer
            }
        }
        expect(try await scene.alice.run("account", "log"), 5, "beyond all bounds")
        expect(try await scene.alice.run("account", "log", "--json"), 5, "beyond all bounds")
        expect(try await scene.alice.run("account", "sessions"), 5, "beyond all bounds")
        scene.proxy.behave()
        try await scene.alice.done("account", "log")
        scene.proxy.stop()
    }

    @Test("numbers of a room's log", arguments: [.max, 1 << 63, 1 << 41] as [UInt64])
    func numbers(_ number: UInt64) async throws {
        let scene = try await Scene.set()
        defer { scene.proxy.stop() }
        try await scene.alice.done("send", "kitchen", "before")
        scene.proxy.tamper { _, _, answer in
            // Answers of other routes are other types.
            (try? answer.changing(MessagePage.self) { $0.next = number }) ?? answer
        }
        // What is here is shown, with what the relay did.
        expect(try await scene.alice.run("read", "kitchen"), 5, "alice: before", "beyond all bounds")
        expect(try await scene.alice.run("read", "kitchen", "--offline"), 0, "alice: before")
        scene.proxy.behave()
        try await scene.alice.done("send", "kitchen", "hello")
        #expect(try await scene.alice.texts("kitchen") == ["before", "hello"])
    }

    @Test("what is told live", arguments: [UInt64.max, UInt64(Int64.max)])
    func live(_ number: UInt64) async throws {
        let scene = try await Scene.set()
        defer { scene.proxy.stop() }
        let watch = try scene.alice.watch()
        #expect(try await watch.line(with: "connected") != nil)
        scene.proxy.tamperLive { event in
            guard case .message(let room, var message) = event else { return [event] }
            message.number = number
            return [.message(room: room, message: message)]
        }
        _ = try await scene.alice.run("send", "kitchen", "hello")
        #expect(try await watch.line(with: "beyond all bounds") != nil)
        // With the next connection it is read by another way.
        #expect(try await watch.line(with: "alice: hello") != nil)
        watch.signal(SIGTERM)
        let shown = try await watch.end().output.split(separator: "\n").filter { $0.hasSuffix("alice: hello") }
        #expect(shown.count == 1, "\(shown)")
    }
}
