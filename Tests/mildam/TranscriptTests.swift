import Foundation
import HouseSupport
import TestSupport
import Testing

/// What the programs say, to the letter, and what they end with: people and programs rely on both.
@Suite("Transcripts")
struct TranscriptTests {
    private static let folder = Vectors.packageFolder + "/Tests/mildam/Transcripts"
    private static let names: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted()
    }()

    private static let isUpdating = ProcessInfo.processInfo.environment["MILDAM_UPDATE_TRANSCRIPTS"] != nil

    @Test func thereAreSome() {
        #expect(Self.names.count >= 6, "\(Self.folder)")
    }

    /// `MILDAM_UPDATE_TRANSCRIPTS=1` writes down what is said now.
    @Test(arguments: isUpdating ? names : Cases.drawn(4, of: names, for: "transcripts"))
    func saysTheSame(_ name: String) async throws {
        let path = Self.folder + "/" + name
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        let said = try await Transcript(kept, in: Self.folder).played()
        if Self.isUpdating { try said.write(toFile: path, atomically: true, encoding: .utf8) }
        let (before, after) = (kept.split(separator: "\n"), said.split(separator: "\n"))
        for (line, pair) in zip(before, after).enumerated() where pair.0 != pair.1 {
            Issue.record("\(name), line \(line + 1) without blank ones: kept \"\(pair.0)\", said \"\(pair.1)\"")
            return
        }
        #expect(before.count == after.count, "\(name): \(before.count) lines kept, \(after.count) said")
    }
}
