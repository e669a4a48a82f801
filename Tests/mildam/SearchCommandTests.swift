import Foundation
import HouseSupport
import TestSupport
import Testing

/// Messages are found by what is in them, on this machine alone.
@Suite("mildam search", .timeLimit(.minutes(3)))
struct SearchCommandTests {
    private struct Answer: Decodable {
        struct Found: Decodable {
            struct Message: Decodable {
                var number: UInt64?
                var sender: String?
                var kind: String
                var text: String?
            }

            var room: String
            var name: String?
            var message: Message
        }

        var messages: [Found]
        var hasEarlier: Bool?
    }

    private func answer(_ person: Person, _ words: [String], endingWith status: Int32 = 0) async throws -> Answer {
        let words = ["search"] + words + ["--json"]
        let result = try await Program.result(of: "mildam", words, environment: person.variables)
        #expect(result.status == status && result.errors.isEmpty, "\(result)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    /// What is in it is at the end of a line.
    private func texts(_ result: Program.Result) -> [Substring] {
        result.output.split(separator: "\n").filter { !$0.hasPrefix("—") }.compactMap { $0.split(separator: ": ").last }
    }

    private struct Scene {
        let house: House
        let alice, bob: Person

        /// alice and bob talk in the kitchen; alice has an attic, and has left a cellar.
        init() async throws {
            house = try await House.open()
            let people = try await house.people("alice", "bob")
            (alice, bob) = (people[0], people[1])
            try await house.room("kitchen", of: people)
            for name in ["attic", "cellar"] { try await alice.done("room", "create", name) }
            try await alice.done("send", "kitchen", "The SOUP is ready")
            try await bob.done("send", "kitchen", "which soup?")
            try await alice.done("send", "attic", "dust")
            try await alice.done("send", "attic", "a cafe\u{301} for soup")
            try await alice.done("send", "cellar", "cold soup")
            try await alice.done("room", "leave", "cellar")
            let file = house.folder.file("soup.txt")
            try "salt".write(toFile: file, atomically: true, encoding: .utf8)
            try await alice.done("send", "kitchen", "--file", file)
            expect(try await alice.run("read", "kitchen"), 0, "bob: which soup?", "[soup.txt")
        }
    }

    @Test func inAllRoomsOrInOne() async throws {
        let scene = try await Scene()
        let alice = scene.alice
        let all = try await alice.run("search", "soup")
        expect(all, 0, "kitchen ", "attic ", "cellar ")
        let said = [
            "The SOUP is ready", "which soup?", "a cafe\u{301} for soup", "cold soup", "[soup.txt, 4 B]",
        ]
        #expect(texts(all).map(String.init) == said, "the newest last: \(all)")
        // Whatever is typed, and however it is written.
        for text in ["Soup", "SOUP", "oup"] {
            let found = try await alice.run("search", text)
            #expect(texts(found).count == 5, "\(found)")
        }
        for text in ["CAFÉ", "cafe\u{301}"] {
            expect(try await alice.run("search", text), 0, "attic", "for soup")
        }
        let attic = try await alice.run("search", "soup", "--room", "attic")
        #expect(texts(attic).count == 1 && !attic.output.contains("attic"), "one room needs no name: \(attic)")
        let last = try await alice.run("search", "soup", "--last", "2")
        #expect(texts(last).map(String.init) == Array(said.suffix(2)), "\(last)")
        // Of another's profile nothing is found.
        expect(try await scene.bob.run("read", "kitchen"), 0, "[soup.txt")
        let others = try await scene.bob.run("search", "soup")
        #expect(texts(others).count == 3, "\(others)")
        for person in [alice, scene.bob] { try await person.done("client", "stop") }
    }

    @Test func forPrograms() async throws {
        let scene = try await Scene()
        let alice = scene.alice
        let found = try await answer(alice, ["soup", "--last", "4"]).messages
        #expect(found.map(\.name) == ["kitchen", "attic", "cellar", "kitchen"])
        #expect(found.map(\.message.kind) == ["text", "text", "text", "file"])
        #expect(found.map(\.message.sender) == ["bob", "alice", "alice", "alice"])
        let kitchen = try await alice.room("kitchen").description
        #expect(found.first?.room == kitchen && found.allSatisfy { $0.message.number != nil })
        let one = try await answer(alice, ["which", "--room", kitchen])
        #expect(one.messages.map(\.message.text) == ["which soup?"] && one.hasEarlier == nil)
        let none = try await answer(alice, ["salt and pepper"], endingWith: 4)
        #expect(none.messages.isEmpty)
        for person in [alice, scene.bob] { try await person.done("client", "stop") }
    }

    /// Nothing is asked of the relay, and no client has to run.
    @Test func withNobodyElse() async throws {
        let scene = try await Scene()
        let alice = scene.alice
        try await scene.house.kill()
        let away = try await alice.run("search", "which")
        expect(away, 0, "bob: which soup?")
        #expect(away.errors.isEmpty, "\(away)")
        try await alice.done("client", "stop")
        expect(try await alice.run("search", "which", "--no-client"), 0, "bob: which soup?")
        expect(try await alice.run("client", "status"), 0, "no client runs")
        try await scene.bob.done("client", "stop")
    }

    @Test func whatIsNotThere() async throws {
        let scene = try await Scene()
        let (alice, long) = (scene.alice, String(repeating: "밀", count: 86))
        let none = try await alice.run("search", "pepper")
        expect(none, 4, "no message has \"pepper\" in it")
        #expect(none.output.isEmpty, "\(none)")
        expect(try await alice.run("search", "soup", "--room", "pantry"), 4, "no room is called pantry")
        for text in ["", long] { expect(try await alice.run("search", text), 2, "1 to 256 bytes") }
        expect(try await alice.run("search", String(long.dropLast())), 4, "no message has")
        for person in [alice, scene.bob] { try await person.done("client", "stop") }
    }

    /// Of many, the newest are shown, and that there are earlier ones.
    @Test func theNewestOfMany() async throws {
        let house = try await House.open(["--no-rate-limits"])
        let people = try await house.people("alice")
        let client = try await RunningClient.start(people[0])
        let room = try await client.room("kitchen", with: [])
        for number in 1...105 { try await client.get(.send(room: room, text: "soup \(number)")) }
        let found = try await people[0].run("search", "soup")
        expect(found, 0, "there are earlier ones: --last N shows more")
        #expect(texts(found).suffix(100).map(String.init) == (6...105).map { "soup \($0)" }, "\(found)")
        let answer = try await answer(people[0], ["soup"])
        #expect(answer.messages.count == 100 && answer.hasEarlier == true)
        #expect(try await self.answer(people[0], ["soup", "--last", "200"]).messages.count == 105)
        try await client.stop()
    }
}
