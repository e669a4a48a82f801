import HouseSupport
import TestSupport
import Testing

/// A relay that lets one wait: a terminal says so after a few seconds, and the answer takes the place of that.
@Suite("Waiting for the relay")
struct WaitingTests {
    @Test func aLineOnTheTerminal() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        for person in [alice, bob] {
            // Fresh tokens, so that one request is all that is waited for.
            try await person.letAccessEnd()
            try await person.done("room", "list")
        }
        proxy.delay(by: .seconds(5))
        async let piped = bob.run("room", "list")
        let session = try TerminalSession(
            "\"$@\"; echo ended with $?; read -r line",
            [try Program.find("mildam"), "room", "list"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(try await session.see("waiting for \(proxy.url) to answer"), "\(session.view)")
        #expect(try await session.see("ended with 0"), "\(session.view)")
        #expect(session.rows.first?.hasPrefix("no rooms yet") == true, "it is gone: \(session.view)")
        let result = try await piped
        expect(result, 0, "no rooms yet")
        #expect(result.errors.isEmpty, "\(result)")
    }
}
