import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// bob was away for a day, in which a fellow member and a stranger sent all that the relay lets an account send in one.
///
/// The whole day is that of programs as they are released (Scripts/prove.d/16-attacks); elsewhere it is a part of one.
@Suite("The morning after a hostile day")
struct HostileDayTests {
    /// The part of a day elsewhere, and the most of each kind then.
    private static let share = AttackedHouse.isFull ? 1 : 0.02
    private static let most = AttackedHouse.isFull ? Int.max : 300
    /// How much larger bob's profile may be afterwards, in bytes.
    private static let growth = 50_000_000

    @Test func bobCopes() async throws {
        let scene = try await AttackedHouse(["--no-rate-limits"])
        let (bob, fellow, stranger) = (scene.bob, scene.mallory.name, "dave")
        let kitchen = try await scene.fellow()
        let sample = try await RelayCaller(bob).lastText(of: kitchen)
        try await bob.done("client", "stop")
        let before = try Self.size(of: bob.folder)
        try await attack(scene, in: kitchen, like: sample)
        try await scene.alice.done("send", "attic", "good morning")

        // Any command, in any order.
        expect(try await scene.timed("room", "list"), 0, "attic", "kitchen")
        try await scene.timed("send", "attic", "good morning to you")
        expect(try await scene.timed("read", "attic"), 0, "good morning", "good morning to you")
        expect(try await scene.timed("request", "list"), 0, stranger)
        try await scene.timed("contact", "list")
        try await scene.timed("send", "kitchen", "what is this?", statuses: [0, 7])
        try await scene.timed("room", "show", "kitchen")
        try await scene.timed("outbox", "list")
        try await readAll(scene)
        expect(try await scene.timed("read", "kitchen", "--since", "1", statuses: [5]), 5, fellow, "spam 1")
        try await scene.timed("doctor")

        // Who it was is said; they are put out, and are heard of no more.
        try await scene.timed("request", "block", stranger)
        try await scene.timed("request", "block", fellow)
        try await scene.timed("room", "remove", "kitchen", fellow)
        try await scene.timed("send", "kitchen", "among ourselves")
        let left = try await scene.requests()
        #expect(Set(left.blocked) == [fellow, stranger])
        #expect(!left.requests.contains { $0.claimed == stranger })
        #expect(try await scene.pins().contains { $0.handle == "alice" })
        let grown = try Self.size(of: bob.folder) - before
        #expect(grown < Self.growth, "\(grown) bytes more")
        let took = scene.clock.take()
        guard AttackedHouse.isFull else { return }
        print("figure: after a hostile day: commands \(took.line); the profile has \(grown) bytes more")
        #expect(took.slowest < AttackedHouse.patience, "\(took.line)")
    }

    /// A day of mallory's, the half of it in what nobody can open, and one of dave's, whom nobody knows.
    private func attack(_ scene: AttackedHouse, in kitchen: RoomID, like sample: RoomMessage) async throws {
        let day = try Self.day()
        func part(of rule: String) -> Int { min(Int(Double(day[rule, default: 0]) * Self.share), Self.most) }
        let (messages, rooms) = (part(of: "message") / 2, part(of: "room_creation"))
        try #require(messages > 1 && rooms > 0)
        let dave = scene.house.person("dave")
        try await scene.house.settle(dave)
        for (attack, person, most) in [
            (RoomAttack.floodRubbish, scene.mallory, messages), (.floodTexts, scene.mallory, messages),
            (.requestsRooms, dave, rooms),
        ] {
            let attacker = try await RoomAttacker(
                attack,
                by: person,
                in: kitchen,
                like: sample,
                seconds: AttackedHouse.isFull ? 3600 : 20,
                most: most
            )
            let answers = try await attacker.answers()
            #expect(answers.taken > 0, "\(attack): \(answers)")
            if AttackedHouse.isFull { print("figure: after a hostile day: \(attack): \(answers)") }
        }
    }

    /// Reads the kitchen to its end.
    private func readAll(_ scene: AttackedHouse) async throws {
        for _ in 0..<100 {
            let result = try await scene.timed("read", "kitchen", statuses: [5, 7])
            guard result.status == 7 else { return }
            expect(result, 7, "there is more to take in")
        }
        Issue.record("it never comes to its end")
    }

    /// What an account has of each rule in a day, as Documentation/capacity.md says.
    private static func day() throws -> [String: Int] {
        let path = Vectors.packageFolder + "/Documentation/capacity.md"
        let lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## A day"))
        var day: [String: Int] = [:]
        for line in lines[start...] where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            day[cells[0].filter { $0 != "`" }] = Int(cells[2].filter { $0 != "," })
        }
        for rule in ["message", "message_bytes", "change", "room_creation"] {
            try #require(day[rule] != nil, "the page says nothing of \(rule)")
        }
        return day
    }

    /// The bytes of all files under a folder.
    private static func size(of folder: String) throws -> Int {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            return sum + (isFile ? (attributes[.size] as? Int ?? 0) : 0)
        }
    }
}
