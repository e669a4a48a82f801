import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// `--no-client`: the command is the profile's client itself, and leaves none behind.
@Suite("Commands that start no client", .timeLimit(.minutes(3)))
struct NoClientTests {
    /// Runs a command by itself: no client runs afterwards.
    private func run(
        _ person: Person,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Program.Result {
        let result = try await Program.result(
            of: "mildam",
            words + ["--no-client"],
            environment: person.variables
        )
        let status = try await person.run("client", "status")
        #expect(status.output == "no client runs\n", "\(status)", sourceLocation: sourceLocation)
        return result
    }

    @Test func eachWorksByItself() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        expect(try await run(alice, "room", "create", "kitchen"), 0)
        expect(try await run(alice, "room", "invite", "kitchen", "bob"), 0, "invited bob")
        expect(try await run(bob, "request", "list"), 0, "alice (unverified)")
        expect(try await run(bob, "request", "accept", "alice", "--join"), 0, "joined kitchen")
        expect(try await run(alice, "send", "kitchen", "soup"), 0, "sent, number ")
        expect(try await run(bob, "read", "kitchen"), 0, "alice: soup")
        expect(try await run(bob, "room", "list"), 0, "kitchen")
        expect(try await run(bob, "status"), 0, "account      bob")
        expect(try await run(bob, "outbox", "list"), 0, "nothing waits")
        expect(try await run(bob, "contact", "list"), 0, "alice")
        expect(try await run(bob, "doctor"), 0, "1 joined, nothing is wrong with any")
        let note = house.folder.file("note")
        try "salt".write(toFile: note, atomically: true, encoding: .utf8)
        expect(try await run(alice, "send", "kitchen", "--file", note), 0, "sent, number ")
        let copy = house.folder.file("copy")
        expect(try await run(bob, "save", "kitchen", "-o", copy), 0, "saved ")
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "salt")
    }

    /// What it could not send, the next command does.
    @Test func whatIsKeptGoesWithTheNext() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await run(alice, "room", "create", "kitchen"), 0)
        try await house.kill()
        expect(try await run(alice, "send", "kitchen", "soup"), 7, "kept: ")
        expect(try await run(alice, "outbox", "list"), 0, "kitchen: soup")
        try await house.restart()
        expect(try await run(alice, "send", "kitchen", "and salt"), 0, "sent, number ")
        expect(try await run(alice, "outbox", "list"), 0, "nothing waits")
        #expect(try await alice.texts("kitchen") == ["soup", "and salt"])
    }

    /// A client that runs has the profile: it is told so, and goes on.
    @Test func besideAClientThatRuns() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let before = try await alice.done("client", "status", "--json")
        expect(
            try await alice.run("read", "kitchen", "--no-client"),
            6,
            "the profile's client runs, and has the profile: leave --no-client out, or end it with `mildam client stop`"
        )
        // What works with the profile by itself in any case borrows it.
        expect(try await alice.run("account", "show", "--no-client"), 0, "alice")
        #expect(try await alice.done("client", "status", "--json") == before)
        // Commands that need no client of the profile have no such option.
        expect(try await alice.run("client", "run", "--no-client"), 2)
        try await alice.done("client", "stop")
        expect(try await alice.run("read", "kitchen", "--no-client"), 0)
    }

    /// Whoever asks while it runs is answered by it.
    @Test func anotherCommandMeanwhile() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("client", "stop")
        let watch = try alice.start("watch", "--no-client")
        #expect(try await watch.complaint(with: "connected") != nil)
        expect(try await alice.run("client", "status"), 0, "runs: version")
        try await alice.done("send", "kitchen", "soup")
        #expect(try await watch.line(with: "alice: soup") != nil)
        watch.signal(SIGTERM)
        _ = try await watch.end()
        expect(try await alice.run("client", "status"), 0, "no client runs")
        #expect(try await alice.texts("kitchen") == ["soup"])
    }
}
