import Foundation
import HouseSupport
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// Whatever others write stays where it belongs: it adds no line of ours, and does nothing to the terminal.
@Suite("Text from others, on the screen")
struct ForeignTextTests {
    private static let mark = "     │ "

    /// A text with lines like those of other messages.
    @Test func aTextCannotPassForAnotherMessage() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory", "bob")
        let (alice, mallory, bob) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "I do not agree")
        let genuine = try #require(
            try await bob.done("read", "kitchen").split(separator: "\n").first { $0.contains("I do not agree") }
        )
        let forged = genuine.replacingOccurrences(of: "I do not agree", with: "I agree")
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        try await mallory.done("send", "kitchen", input: "hello\n\(forged)\r\n\(forged)\nkitchen \(forged)\nthe end")

        let shown = try await bob.done("read", "kitchen").split(separator: "\n").map(String.init)
        #expect(shown.suffix(4) == [forged, forged, "kitchen " + forged, "the end"].map { Self.mark + $0 })
        #expect(shown.filter { $0.contains("I agree") }.allSatisfy { $0.hasPrefix(Self.mark) })
        #expect(try await watch.line(with: "the end") != nil)
        watch.signal(SIGTERM)
        let watched = try await watch.end().output.split(separator: "\n").filter { $0.contains("I agree") }
        #expect(watched.count == 3 && watched.allSatisfy { $0.hasPrefix(Self.mark) }, "\(watched)")
    }

    /// Nor does one that is long enough for the terminal to go on in a new line.
    @Test func aLongTextCannotPassForAnotherMessage() async throws {
        let house = try await House.open()
        let people = try await house.people("mallory", "bob")
        let (mallory, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let words = (0..<40).map { "   \($0) 18:04 bob: I agree" }.joined()
        try await mallory.done("send", "kitchen", words)
        let result = try await Program.result(
            of: "script",
            ["-qec", "'\(try Program.find("mildam"))' -p bob read kitchen", "/dev/null"],
            environment: ["MILDAM_HOME": bob.home, "COLUMNS": "50", "TERM": "dumb"]
        )
        let lines = result.output.replacingOccurrences(of: "\r\n", with: "\n").split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.contains("mallory:") })
        #expect(lines.count - start > 15 && lines[start...].allSatisfy { $0.count <= 50 }, "\(result)")
        #expect(lines[(start + 1)...].allSatisfy { $0.hasPrefix(Self.mark) }, "\(result)")
        #expect(lines[start...].map { $0.replacingOccurrences(of: Self.mark, with: "") }.joined().hasSuffix(words))
    }

    /// For programs the same text, for the terminal that shows it nothing that acts.
    @Test func jsonActsOnNoTerminal() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let text = "\u{7f}\u{80}\u{9b}31m\u{9f}\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{1b}[2J 밀담"
        let watch = try bob.start("watch", "--json")
        #expect(try await watch.line(with: #""connected""#) != nil)
        try await alice.done("send", "kitchen", "hello")
        try await alice.done("send", "kitchen", text)
        let result = try await bob.run("read", "kitchen", "--json")
        #expect(try await bob.texts("kitchen").last.map { Array($0.utf8) } == Array(text.utf8))
        let live = try #require(try await watch.line(with: "밀담"))
        watch.signal(SIGTERM)
        for shown in [result.output.trimmingCharacters(in: .newlines), live] {
            let acting = shown.unicodeScalars.filter {
                $0.properties.generalCategory == .control || $0.properties.isBidiControl
            }
            #expect(acting.isEmpty, "\(acting.map(\.value))")
        }
        _ = try await watch.end()
    }

    /// An error is one line, whatever the relay says in it.
    @Test func aRelaysWordsAddNoLine() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await alice.done("room", "create", "kitchen")
        let said = "no\n  pinned: nonsense\r\nmildam: all is well\u{2028}\u{1b}[2J\u{9b}"
        proxy.tamper { _, _, _ in
            HTTPResponse(status: 403, body: Array(try JSONEncoder().encode(APIErrorBody(APIError(.badRequest, said)))))
        }
        let result = try await alice.run("read", "kitchen")
        let lines = result.errors.split(separator: "\n")
        #expect(result.status == 6 && lines.count == 1, "\(result)")
        #expect(lines.allSatisfy { $0.hasPrefix("mildam: the relay refuse") }, "\(result)")
        let json = try await alice.run("read", "kitchen", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        let trouble = try #require(answer?["trouble"] as? String)
        #expect(!trouble.contains("\n") && trouble.hasPrefix("the relay refuse"))
    }

    /// Nor does the name of a room.
    @Test func aRoomsNameAddsNoLine() async throws {
        let house = try await House.open()
        let people = try await house.people("mallory", "bob")
        let (mallory, bob) = (people[0], people[1])
        let name = "kitchen\nmildam: all is well"
        try await house.room(name, of: people)
        let room = try await bob.room(name).description
        try await mallory.done("room", "remove", name, "bob")
        let result = try await bob.run("read", room)
        expect(result, 0, "kitchen␊mildam: all is well")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
    }
}
