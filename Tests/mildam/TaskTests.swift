import Foundation
import HouseSupport
import TestSupport
import Testing

/// What people do with the programs from day to day, as scripts that know what help and pages say.
@Suite("Tasks of daily life")
struct TaskTests {
    private static let folder = Vectors.packageFolder + "/Tests/mildam/Tasks"
    private static let names: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".sh") }.sorted()
    }()
    /// Seconds that a task may take.
    private static let patience = Sanitizer.isOn ? 240 : 60

    /// The lines of a script.
    private func lines(_ name: String) throws -> [String] {
        try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8).components(separatedBy: "\n")
    }

    @Test func thereAreSome() {
        #expect(Self.names.count >= 30, "\(Self.folder)")
    }

    @Test(arguments: Cases.drawn(11, of: names, for: "tasks"))
    func isDone(_ name: String) async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let programs = URL(fileURLWithPath: try Program.find("mildam")).deletingLastPathComponent().path
        let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        // In a session of its own there is no terminal on which a program could ask.
        let result = try await Program.result(
            of: "setsid",
            ["--wait", "timeout", "--kill-after=10", "\(Self.patience)", "bash", Self.folder + "/" + name],
            environment: ["PATH": path]
        )
        #expect(result.status == 0, "\(name): \(result)")
    }

    /// A task is one that people have, is found out by reading, and takes one wrong turn at most.
    @Test(arguments: names)
    func saysWhatItIs(_ name: String) throws {
        let lines = try lines(name)
        let header = lines.prefix { $0.hasPrefix("# ") }
        #expect(header.first?.hasPrefix("# TASK: ") == true, "\(name)")
        #expect(header.dropFirst().first?.hasPrefix("# LOOKED UP: ") == true, "\(name)")
        #expect(lines.dropFirst(header.count).first == ". \"$(dirname \"$0\")/prelude.bash\" || exit", "\(name)")
        #expect(lines.count { $0.contains("wrong_turn ") } <= 1, "\(name)")
    }

    /// No option is one that somebody would have to know already.
    @Test(arguments: names)
    func itsOptionsAreDocumented(_ name: String) throws {
        let pages = try ["README.md", "Documentation/reference.md", "Documentation/relay.md"].map {
            try String(contentsOfFile: Vectors.packageFolder + "/" + $0, encoding: .utf8)
        }.joined()
        for line in try lines(name) where !line.hasPrefix("#") {
            for option in line.matches(of: /(?:^| )(--[a-z]+(?:-[a-z]+)*)/).map({ String($0.output.1) }) {
                let isWhole = pages.contains(option + " ") || pages.contains(option + "`")
                #expect(isWhole, "\(name): no page tells of \(option)")
            }
        }
    }
}
