import Glibc
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

    /// Ctrl-C ends the wait, as the line says. What was to be sent is there once, whenever the relay answers again.
    @Test func endedByCtrlC() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await alice.letAccessEnd()
        try await alice.done("room", "create", "kitchen")
        proxy.delay(by: .seconds(30))
        let session = try TerminalSession(
            "trap : INT; \"$@\"; echo ended with $?; read -r line",
            [try Program.find("mildam"), "send", "kitchen", "hello"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(try await session.see("waiting for \(proxy.url) to answer; Ctrl-C ends it"), "\(session.view)")
        session.type("\u{3}")
        #expect(try await session.see("ended with \(128 + SIGINT)"), "\(session.view)")
        proxy.delay(by: .zero)
        #expect(try await alice.account().unsent == 1)
        try await alice.done("send", "kitchen", "after that")
        #expect(try await alice.texts("kitchen") == ["hello", "after that"])
    }
}
