import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// `mildam watch --json`: whatever happens is a line with a kind, not what is said alone.
@Suite("Watching, for programs", .timeLimit(.minutes(3)))
struct WatchEventTests {
    private struct Line: Decodable {
        struct Message: Decodable {
            var kind: String
            var text: String?
        }

        var kind: String
        var name: String?
        var standing: String?
        var code: String?
        var text: String?
        var message: Message?
    }

    private static let kinds: Set = [
        "message", "members", "renamed", "renewed", "settings", "change", "standing", "trouble", "trouble-over",
        "waits", "failed", "connected", "not-connected", "client-ended", "session-ended",
    ]

    /// Waits for a line that has these words.
    private func expectLine(
        _ words: String...,
        of watch: Program,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for word in words {
            let line = try await watch.line(with: word)
            #expect(line != nil, "\(word)", sourceLocation: sourceLocation)
        }
    }

    private func lines(_ output: String) throws -> [Line] {
        try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func eachThingHasItsKind() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let watch = try bob.start("watch", "--json")
        try await expectLine(#""kind":"connected""#, of: watch)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await expectLine(#""standing":"request""#, of: watch)
        try await bob.done("request", "accept", "alice", "--join")
        try await expectLine(#""standing":"member""#, of: watch)
        try await alice.done("send", "kitchen", "welcome")
        try await expectLine(#""text":"welcome""#, of: watch)
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        try await expectLine(#""kind":"members""#, of: watch)
        try await alice.done("room", "rename", "kitchen", "galley")
        try await expectLine(#""kind":"renamed""#, of: watch)
        try await alice.done("room", "renew", "galley")
        try await expectLine(#""kind":"renewed""#, of: watch)
        try await alice.done("room", "remove", "galley", "bob")
        try await expectLine(#""standing":"removed""#, of: watch)
        try await house.kill()
        try await expectLine(#""code":"unreachable""#, of: watch)
        watch.signal(SIGTERM)
        let lines = try lines(try await watch.end().output)
        #expect(lines.allSatisfy { Self.kinds.contains($0.kind) })
        #expect(lines.filter { $0.kind == "message" }.compactMap(\.message?.text) == ["welcome"])
        #expect(lines.contains { $0.kind == "members" && $0.message?.kind == "joined" })
        #expect(lines.contains { $0.kind == "renamed" && $0.message?.text == "galley" })
        #expect(lines.last { $0.kind == "standing" }?.name == "galley")
        #expect(lines.last?.kind == "not-connected" && lines.last?.text?.hasPrefix("not connected: ") == true)
    }

    /// What was there before is told to whoever begins to watch; the end of the session is the last line.
    @Test func fromTheFirstLineToTheLast() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("request", "list"), 0, "alice (unverified)")
        let watch = try bob.start("watch", "--json")
        try await expectLine(#""standing":"request""#, #""kind":"connected""#, of: watch)
        expect(try await bob.run("account", "logout"), 0, "logged out")
        let end = try await watch.end()
        #expect(end.status == 6, "\(end)")
        let told = end.output.split(separator: "\n").filter { $0.contains(#""kind":"#) }
        #expect(told.last?.contains(#""code":"not-logged-in","kind":"session-ended""#) == true, "\(end)")
    }
}
