import Glibc
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import TestSupport
import Testing

/// Much was said while somebody was away: one command takes it in, and nothing is lost or there twice.
@Suite("More messages than a window holds")
struct LongAbsenceTests {
    private static let count = Count.of(few: 1_040, full: 1_200)

    /// A room of alice's and bob's, and bob away.
    private struct Scene {
        let house: House
        let alice: Person
        let bob: Person

        static func set() async throws -> Scene {
            let house = try await House.open(["--no-rate-limits"])
            let people = try await house.people("alice", "bob")
            try await house.room("attic", of: people)
            try await people[0].done("send", "attic", "before")
            try await people[1].done("read", "attic")
            try await people[1].done("client", "stop")
            return Scene(house: house, alice: people[0], bob: people[1])
        }

        /// alice says numbers from 1 on, as a program at her client's socket does.
        func talk(_ count: Int) async throws {
            try await alice.done("status")
            let link = try ClientLink(at: alice.folder + "/agent/client")
            guard case .rooms(let rows, _) = try await link.ask(.rooms()),
                let room = rows.first(where: { $0.name == "attic" })?.room
            else { throw ClientLinkError.ended }
            var last: MessageID?
            for number in 1...count {
                guard case .wished(let id) = try await link.ask(.send(room: room, text: "\(number)")) else { continue }
                last = id
            }
            let wish = try #require(last)
            for _ in 0..<3 {
                if case .outcome(.done) = try await link.ask(.outcome(of: wish, seconds: 60)) { return }
            }
            Issue.record("not all was sent")
        }
    }

    @Test func allAtOnce() async throws {
        let scene = try await Scene.set()
        let (alice, bob, count) = (scene.alice, scene.bob, Self.count)
        try await scene.talk(count)
        let numbers = (1...count).map(String.init)
        let usual = try await bob.done("read", "attic")
        #expect(usual.hasPrefix("there are earlier messages: --since 1 shows all\n"))
        let shown = usual.split(separator: "\n").filter { $0.contains(" alice: ") }
        #expect(shown.count <= 1_000 && shown.last?.hasSuffix("alice: \(count)") == true)
        #expect(try await bob.texts("attic", since: 1) == ["before"] + numbers)
        let last = try await bob.done("read", "attic", "--last", "3").split(separator: "\n").suffix(3)
        let ends = last.compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(ends == Array(numbers.suffix(3)))
        try await bob.done("send", "attic", "what a lot")
        #expect(try await alice.texts("attic", since: 1) == ["before"] + numbers + ["what a lot"])
    }

    /// Who watches sees all of it, once and in its order, and what waited goes out behind it.
    @Test func watching() async throws {
        let scene = try await Scene.set()
        let (bob, count) = (scene.bob, Count.of(few: 520, full: Self.count))
        try await scene.talk(count)
        let watch = try bob.watch()
        #expect(try await watch.line(with: "alice: \(count)", within: 60) != nil)
        try await bob.done("send", "attic", "enough")
        #expect(try await watch.line(with: "bob: enough") != nil)
        watch.signal(SIGTERM)
        let lines = try await watch.end().output.split(separator: "\n").filter { $0.contains(" alice: ") }
        // What was taken in before it had looked around is known already.
        let texts = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        let first = try #require(texts.first)
        #expect(texts == Array(first...count), "each once, in order")
    }
}
