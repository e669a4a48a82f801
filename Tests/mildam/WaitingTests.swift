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
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("send", "kitchen", "hello")
        // Both are connected: one request is all that is waited for.
        for person in [alice, bob] { try await person.done("read", "kitchen") }
        proxy.hold { _ in true }
        async let piped = bob.run("read", "kitchen")
        let session = try TerminalSession(
            "\"$@\"; echo ended with $?; read -r line",
            [try Program.find("mildam"), "read", "kitchen"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(try await session.see("waiting for \(proxy.url) to answer"), "\(session.view)")
        proxy.letGo()
        #expect(try await session.see("ended with 0"), "\(session.view)")
        #expect(session.rows.first?.hasPrefix("— 20") == true, "it is gone: \(session.view)")
        let result = try await piped
        expect(result, 0, "alice: hello")
        #expect(result.errors.isEmpty, "\(result)")
    }

    /// Ctrl-C ends the wait, as the line says. What was to be sent is there once, whenever the relay answers again.
    @Test func endedByCtrlC() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("send", "kitchen", "before")
        // From here on the relay takes connections, and answers nothing.
        house.relay.program.signal(SIGSTOP)
        let session = try TerminalSession(
            "trap : INT; \"$@\"; echo ended with $?; read -r line",
            [try Program.find("mildam"), "send", "kitchen", "hello"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 }
        )
        #expect(try await session.see("waiting for \(alice.relay) to answer; Ctrl-C ends it"), "\(session.view)")
        session.type("\u{3}")
        #expect(try await session.see("ended with \(128 + SIGINT)"), "\(session.view)")
        #expect(try await alice.outboxTexts() == ["hello"])
        house.relay.program.signal(SIGCONT)
        try await alice.done("send", "kitchen", "after that")
        #expect(try await alice.texts("kitchen") == ["before", "hello", "after that"])
    }

    /// The relay takes so many messages of an account and no more: what is said then is kept, and sent by itself later.
    @Test func noMoreForNow() async throws {
        let house = try await House.open(["--messages", "8"])
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        var said: [String] = []
        var kept: Program.Result?
        while kept == nil, said.count < 12 {
            said.append("text \(said.count)")
            let sent = try await alice.run("send", "kitchen", said[said.count - 1])
            if sent.status != 0 { kept = sent }
        }
        expect(try #require(kept), 7, "kept: the relay takes no more now", "it is sent by itself later")
        #expect(try await alice.outboxTexts() == [said[said.count - 1]])
        try await house.kill()
        try await house.restart()
        try await waitUntil { try await alice.texts("kitchen") == said }
        #expect(try await alice.outboxTexts() == [])
    }
}
