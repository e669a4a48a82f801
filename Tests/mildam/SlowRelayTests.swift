import HouseSupport
import MildamRelayAPI
import TestSupport
import Testing

/// A relay that lets one command of a profile wait holds up none of the others.
@Suite("A slow relay")
struct SlowRelayTests {
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let bob: Person

        /// bob, whose relay can be slow, with a room of his own; and alice, who wants him in another.
        init() async throws {
            house = try await House.open()
            proxy = try TamperingProxy.start(before: house.relay.url)
            bob = house.person("bob", at: proxy.url)
            let alice = house.person("alice")
            try await house.settle(alice, bob)
            try await bob.done("room", "create", "attic")
            try await bob.done("send", "attic", "dust")
            try await alice.done("room", "create", "kitchen")
            try await alice.done("room", "invite", "kitchen", "bob")
            expect(try await bob.run("request", "list"), 0, "alice (unverified)")
        }

        /// Runs a command, and others of the same profile while what it asks at these paths is not answered.
        func run(
            _ arguments: [String],
            listing list: String = "alice (unverified)",
            holding isHeld: @escaping @Sendable (String) -> Bool
        ) async throws -> Program.Result {
            proxy.hold(isHeld)
            async let slow = Program.result(of: "mildam", arguments, environment: bob.variables)
            do {
                try await waitUntil { proxy.held > 0 }
                expect(try await bob.run("status"), 0, "account      bob")
                expect(try await bob.run("read", "attic"), 0, "bob: dust")
                expect(try await bob.run("request", "list", "--offline"), 0, list)
                #expect(proxy.held > 0, "none of them waited for it")
            } catch {
                proxy.letGo()
                throw error
            }
            proxy.letGo()
            return try await slow
        }
    }

    @Test func whoAsksIsLookedUp() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let shown = try await scene.run(["request", "show", "alice"]) { Routes.account ~= $0 }
        expect(shown, 0, "kitchen, 2 members")
    }

    /// The relay is told that alice is known.
    @Test func aRequestIsAccepted() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let accepted = try await scene.run(["request", "accept", "alice"], listing: "no requests") {
            Routes.putStanding ~= $0
        }
        expect(accepted, 0, "invited by alice to kitchen")
    }

    @Test func theProfileIsExamined() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let examined = try await scene.run(["doctor"]) { Routes.account ~= $0 }
        expect(examined, 0, "the relay shows the key and the device of this profile")
    }
}
