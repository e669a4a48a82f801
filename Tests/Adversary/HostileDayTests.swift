import Foundation
import HouseSupport
import TestSupport
import Testing

/// bob was away for a day, in which a fellow member and a stranger sent all that the relay lets an account send in one.
///
/// The whole day is that of programs as they are released (Scripts/prove.d/16-attacks); elsewhere it is a part of one.
@Suite("The morning after a hostile day", .enabled(if: PythonPeer.isExpected))
struct HostileDayTests {
    /// The part of a day elsewhere, and the most that is asked for then.
    private static let share = AttackedHouse.isFull ? 1 : 0.02
    private static let most = AttackedHouse.isFull ? Int.max : 1000
    /// How much larger bob's profile may be afterwards, in bytes.
    private static let growth = 50_000_000

    @Test func bobCopes() async throws {
        let scene = try await AttackedHouse(["--no-rate-limits"])
        let bob = scene.bob
        let day = try Self.day()
        let before = try Self.size(of: bob.folder)
        let attacker = try await scene.attack(
            by: "consent_day.py",
            seconds: 3600,
            most: Self.most,
            day: day,
            share: Self.share
        )
        let fellow = try #require(attacker.handle)
        let stranger = try #require(try await attacker.line(with: "stranger ")?.split(separator: " ").last)
        let answers = try await attacker.answers()
        let least = min(Double(day["message", default: 0]) * Self.share, Double(Self.most)) / 3
        #expect(Double(answers["201", default: 0]) >= least && least > 0, "\(answers)")
        try await scene.alice.done("send", "attic", "good morning")

        // Any command, in any order; what waits in the kitchen is taken in by parts.
        expect(try await scene.timed("room", "list"), 0, "attic", "kitchen")
        try await scene.timed("send", "attic", "good morning to you")
        expect(try await scene.timed("read", "attic"), 0, "good morning", "good morning to you")
        expect(try await scene.timed("request", "list"), 0, String(stranger))
        try await scene.timed("contact", "list")
        try await scene.timed("send", "kitchen", "what is this?", statuses: [0, 7])
        try await scene.timed("room", "show", "kitchen", statuses: [0, 7])
        try await scene.timed("outbox", "list")
        try await readAll(scene, most: fellow)
        expect(try await scene.timed("read", "kitchen", "--since", "1", statuses: [0, 5]), 0, fellow)
        try await scene.timed("doctor")

        // Who it was is said; they are put out, and are heard of no more.
        try await scene.timed("request", "block", String(stranger))
        try await scene.timed("request", "block", fellow)
        try await scene.timed("room", "remove", "kitchen", fellow)
        try await scene.timed("send", "kitchen", "among ourselves")
        let left = try await scene.requests()
        #expect(Set(left.blocked) == [fellow, String(stranger)])
        #expect(!left.requests.contains { $0.claimed.hasPrefix("mallory") })
        #expect(try await scene.pins().contains { $0.handle == "alice" })
        let grown = try Self.size(of: bob.folder) - before
        #expect(grown < Self.growth, "\(grown) bytes more")
        let took = scene.clock.take()
        guard AttackedHouse.isFull else { return }
        print("figure: after a hostile day: commands \(took.line); the profile has \(grown) bytes more")
        print("figure: after a hostile day: the attackers' answers \(answers.sorted { $0.key < $1.key })")
        #expect(took.slowest < AttackedHouse.patience, "\(took.line)")
    }

    /// Reads the kitchen, part by part, to its end; as long as there is more, it is said whose that is.
    private func readAll(_ scene: AttackedHouse, most fellow: String) async throws {
        var parts = 0
        repeat {
            let result = try await scene.timed("read", "kitchen", statuses: [0, 5, 7])
            guard result.status == 7 else { break }
            expect(result, 7, "are not taken in yet", "\(fellow)'s")
            parts += 1
        } while parts < 100
        #expect(parts > 1 || !AttackedHouse.isFull)
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
