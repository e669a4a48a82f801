import Foundation
import HouseSupport
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// A relay that has no room for what an account says of others.
@Suite("What the relay would not be told")
struct RefusedStandingTests {
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice, mallory, bob: Person

        init() async throws {
            house = try await House.open()
            proxy = try TamperingProxy.start(before: house.relay.url)
            (alice, mallory, bob) = (house.person("alice"), house.person("mallory"), house.person("bob", at: proxy.url))
            try await house.settle(alice, mallory, bob)
        }

        /// From here on the relay takes nothing more that is said of others.
        func fill() {
            proxy.tamper { route, request, answer in
                guard case Routes.putStanding = route, request.method == .put else { return answer }
                let error = APIErrorBody(APIError(.quotaExceeded, "this account says of others all that it may"))
                return HTTPResponse(status: 507, body: Array(try JSONEncoder().encode(error)))
            }
        }
    }

    /// The person is told once, by the command that came upon it, and by `doctor` as long as it is so.
    @Test func theyAreToldOnce() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        try await scene.mallory.done("room", "create", "one")
        try await scene.mallory.done("room", "invite", "one", "bob")
        try await bob.done("request", "list")
        try await bob.done("request", "block", "mallory")
        scene.fill()
        let added = try await bob.run("contact", "add", "alice")
        expect(added, 0, "met alice")
        #expect(added.errors.contains("the relay does not note that you know alice"), "\(added)")
        #expect(added.errors.contains("says of others all that it may"), "\(added)")
        for arguments in [["contact", "add", "alice"], ["request", "list"]] {
            let again = try await Program.result(of: "mildam", arguments, environment: bob.variables)
            #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
        }
        expect(try await bob.run("doctor"), 1, "the relay has no room to note 1 that you know and 0 that you block")

        // Once something was taken back there is room.
        scene.proxy.behave()
        expect(try await bob.run("request", "block", "mallory", "--undo"), 0, "can ask again")
        try await bob.done("request", "list")
        expect(try await bob.run("doctor"), 0, "the relay is told whom you know and block")
    }

    /// A block that the relay has no room for is one here.
    @Test func aBlockHolds() async throws {
        let scene = try await Scene()
        try await scene.mallory.done("room", "create", "one")
        try await scene.mallory.done("room", "invite", "one", "bob")
        scene.fill()
        expect(try await scene.bob.run("request", "list"), 0, "mallory (unverified)")
        let blocked = try await scene.bob.run("request", "block", "mallory")
        expect(blocked, 0, "blocked an account that calls itself mallory")
        #expect(blocked.errors.contains("the relay does not note that you block mallory"), "\(blocked)")
        expect(try await scene.bob.run("request", "list"), 0, "no requests", "blocked: mallory")
        expect(try await scene.bob.run("doctor"), 1, "0 that you know and 1 that you block")
    }
}
