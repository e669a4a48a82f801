import Foundation
import HouseSupport
import MildamMessenger
import TestSupport
import Testing

/// Much was said: a command takes in what it can in a moment, says how much is left and whose it is, and loses nothing.
@Suite("More messages than one command takes in")
struct LongAbsenceTests {
    private struct ReadAnswer: Decodable {
        struct Message: Decodable { var text: String? }
        var messages: [Message]
        var earlier: UInt64?
        var backlog: Backlog?
    }

    @Test func inParts() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("attic", of: people)
        let room = try await bob.room("attic")
        let rest = 600
        let count = Messenger.takenAtOnce + rest

        try await alice.talk(count, in: room)
        let first = try await bob.run("read", "attic", "--json")
        expect(first, 7, "\(rest) messages of attic are not taken in yet (most of the last ones are alice's)")
        #expect(first.errors.isEmpty, "a program finds it in the answer: \(first)")
        let answer = try JSONDecoder().decode(ReadAnswer.self, from: Data(first.output.utf8))
        #expect(answer.backlog?.waiting == UInt64(rest) && answer.backlog?.most?.text == "alice")
        #expect(answer.messages.count == 1_000 && answer.messages.last?.text == "\(count - rest)")
        #expect(answer.earlier.map { $0 >= 1_000 } == true)
        // What is left is no more than one command takes in.
        expect(try await bob.run("send", "attic", "what a lot"), 0)
        #expect(try await bob.texts("attic", since: 1) == (1...count).map(String.init) + ["what a lot"])

        try await alice.talk(count, in: room)
        expect(try await bob.run("send", "attic", "enough"), 7, "not taken in yet", "do not repeat it")
        #expect(try await bob.outboxTexts() == ["enough"])
        try await bob.done("read", "attic")
        #expect(try await bob.outboxTexts() == [])
        #expect(try await bob.texts("attic").last == "enough")
    }

    /// New keys of a device take in all there is first: a room's later key was sealed for the old ones.
    @Test func newKeys() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob) = (people[0], people[1])
        try await house.room("attic", of: people)
        let count = 2 * Messenger.takenAtOnce + 600
        try await alice.talk(count, in: try await bob.room("attic"))
        // What she said herself is new to her device as well.
        for _ in 0..<10 where try await alice.run("read", "attic").status == 7 { continue }
        try await alice.done("room", "remove", "attic", "carol")
        try await alice.done("send", "attic", "between us")
        expect(try await bob.run("account", "renew-keys"), 0, "1 room has a new key")
        #expect(try await bob.generation(of: "attic") == 3)
        #expect(try await bob.texts("attic", since: 1).suffix(2) == ["\(count)", "between us"])
        try await alice.done("send", "attic", "under the new one")
        #expect(try await bob.texts("attic").last == "under the new one")
    }

    /// Who watches takes in all of it, sees it, and what waited goes out.
    @Test func watching() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("attic", of: people)
        let count = Messenger.takenAtOnce + 600
        try await alice.talk(2 * count, in: try await bob.room("attic"))
        expect(try await bob.run("send", "attic", "enough"), 7)
        let watch = try bob.watch()
        #expect(try await watch.line(with: "enough", within: 60) != nil)
        watch.signal(SIGTERM)
        // Beyond what the send had taken in, all of it was seen.
        let lines = try await watch.end().output.split(separator: "\n")
        let texts = lines.compactMap { $0.split(separator: " ").last.map(String.init) }.filter { $0 != "connected" }
        let numbers = Messenger.takenAtOnce + 1...2 * count
        #expect(texts.dropLast() == numbers.map { String($0) } && texts.last == "enough")
        #expect(try await bob.outboxTexts() == [])
    }
}
