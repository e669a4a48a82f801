import Foundation
import HouseSupport
import MildamRelayAPI
import TestSupport
import Testing

/// A relay that lets one command of a profile wait holds up none of the others, but where that has the profile to itself.
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

    /// alice is looked up, and then the relay is told that she is known.
    @Test(arguments: [false, true])
    func somebodyIsMet(_ isTelling: Bool) async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let met = try await scene.run(["contact", "add", "alice"]) { path in
            isTelling ? Routes.putStanding ~= path : Routes.account ~= path
        }
        expect(met, 0, "met alice")
    }

    @Test func somebodyIsMetByALink() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let file = scene.house.folder.file("link")
        try await scene.house.person("alice").done("invite-link").write(toFile: file, atomically: true, encoding: .utf8)
        let met = try await scene.run(["contact", "add", "--link-file", file]) { Routes.account ~= $0 }
        expect(met, 0, "met alice")
    }

    @Test func aFingerprintIsAccepted() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let fingerprint = try await scene.house.person("alice").account().fingerprint
        let accepted = try await scene.run(["contact", "accept", "alice", fingerprint]) { Routes.account ~= $0 }
        expect(accepted, 0, "the key of alice is the one with this fingerprint")
    }

    @Test func aLinkIsMadeAndTakenBack() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let made = try await scene.run(["invite-link"]) { Routes.putLink ~= $0 }
        expect(made, 0, "mildam:")
        expect(try await scene.bob.run("contact", "links"), 0, "1  until ")
        let revoked = try await scene.run(["contact", "revoke-link", "1"]) { Routes.deleteLink ~= $0 }
        expect(revoked, 0, "took back 1")
    }

    /// A command that has the profile lent to it lets others have it as well.
    @Test func theOwnerLooksAround() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let bob = scene.bob
        scene.proxy.hold { Routes.sessions ~= $0 }
        async let slow = Program.result(of: "mildam", ["account", "sessions"], environment: bob.variables)
        do {
            try await waitUntil { scene.proxy.held > 0 }
            expect(try await bob.run("account", "show"), 0, "handle       bob")
            #expect(scene.proxy.held > 0, "it did not wait")
        } catch {
            scene.proxy.letGo()
            throw error
        }
        scene.proxy.letGo()
        expect(try await slow, 0, "this one")
    }

    /// The log is not told: what is here is shown, and in one line stands that there may be more. A person waits half a minute for it.
    @Test func theLogIsNotTold() async throws {
        let isWaitedFor = Count.of(few: 0, full: 1) > 0
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let bob = scene.bob
        try await bob.join("kitchen")
        #expect(try await bob.texts("kitchen").isEmpty)
        scene.proxy.hold { Routes.messages ~= $0 }
        async let slow = bob.run("read", "attic")
        do {
            try await waitUntil { scene.proxy.held > 0 }
            expect(try await bob.run("room", "list"), 0, "attic", "kitchen")
            expect(try await bob.run("read", "attic", "--offline"), 0, "bob: dust")
            if isWaitedFor {
                expect(try await slow, 7, "bob: dust", "there is more to take in than came in time")
                scene.proxy.tamperLive { _ in [] }
                try await scene.house.person("alice").done("send", "kitchen", "soup")
                let list = try await bob.run("room", "list")
                expect(list, 0, "attic", "kitchen", "this is what is here: there is more to take in")
                #expect(list.errors.split(separator: "\n").count == 1, "\(list)")
            }
            #expect(scene.proxy.held > 0 || isWaitedFor, "none of them waited for it")
        } catch {
            scene.proxy.letGo()
            throw error
        }
        scene.proxy.letGo()
        if !isWaitedFor { expect(try await slow, 0, "bob: dust") }
    }

    @Test func theProfileIsExamined() async throws {
        let scene = try await Scene()
        defer { scene.proxy.stop() }
        let examined = try await scene.run(["doctor"]) { Routes.account ~= $0 }
        expect(examined, 0, "the relay shows the key and the device of this profile")
    }
}
