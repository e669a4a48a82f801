import Foundation
import HouseSupport
import TestSupport
import Testing

/// Somebody was away for longer than the relay keeps messages.
@Suite("Longer away than messages are kept", .timeLimit(.minutes(5)))
struct LongerAwayTests {
    /// Runs SQL over the relay's database.
    private func sql(_ words: String, in house: House) async throws -> String {
        let result = try await Program.result(
            of: "sqlite3",
            [house.data + "/relay.db", ".dbconfig no_ckpt_on_close on", words]
        )
        try #require(result.status == 0, "\(result)")
        return String(result.output.split(separator: "\n").last ?? "")
    }

    /// What is gone is named, and nobody has to do anything: the device comes back, and the room goes on.
    @Test func whatIsMissedIsNamed() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "hello")
        try await bob.done("send", "kitchen", "before")
        #expect(try await bob.texts("kitchen") == ["hello", "before"])
        try await bob.done("client", "stop")
        try await alice.done("send", "kitchen", "missed one")
        try await alice.done("room", "role", "kitchen", "bob", "admin")
        try await alice.done("send", "kitchen", "missed two")

        try await house.kill()
        let count = "SELECT count(*) FROM messages"
        let before = try #require(Int(try await sql(count, in: house)))
        _ = try await sql("UPDATE messages SET stored = stored - 400 * 86400000", in: house)
        try await house.restart(["--keep-days", "1"])
        // It looks at what is old ten seconds after its start.
        try await waitUntil { try await Int(sql(count, in: house)).map { $0 < before } ?? false }

        try await waitUntil {
            let read = try await bob.run("read", "kitchen")
            #expect(!read.output.contains("missed"), "\(read)")
            return read.output.contains("MISSING") && (read.output + read.errors).contains("kept no longer")
        }
        try await waitUntil {
            let his = try await bob.run("room", "verify", "kitchen")
            let hers = try await alice.run("room", "verify", "kitchen")
            return his.status == 0 && his.output == hers.output
        }
        try await alice.done("send", "kitchen", "seen")
        #expect(try await bob.texts("kitchen") == ["hello", "before", "seen"])
        try await bob.done("send", "kitchen", "thank you")
        let texts = ["hello", "before", "missed one", "missed two", "seen", "thank you"]
        let messages = try await alice.messages("kitchen")
        #expect(messages.compactMap { $0.kind == "text" ? $0.text : nil } == texts)
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "nobody is accused: \(messages)")
        for person in people { try await person.run("client", "stop") }
    }
}
