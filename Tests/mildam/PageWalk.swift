import Foundation
import TestSupport
import Testing

/// What a page has people type, and a terminal at which somebody does.
struct PageWalk {
    /// The commands between fences of `sh`, in order, as they stand there; one may go on in the next line.
    let commands: [String]

    /// - Parameters:
    ///   - page: its path in the package.
    ///   - section: a heading of the second level; `nil` for the whole page.
    init(_ page: String, section: String? = nil) throws {
        var text = try String(contentsOfFile: Vectors.packageFolder + "/" + page, encoding: .utf8)
        if let section {
            let around = text.components(separatedBy: "\n## \(section)\n")
            try #require(around.count == 2, "\(page) has no section \"\(section)\"")
            text = try #require(around[1].components(separatedBy: "\n## ").first)
        }
        // Every second part is between fences.
        let parts = text.components(separatedBy: "```")
        let fences = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        commands = fences.filter { $0.hasPrefix("sh\n") }.flatMap { fence -> [String] in
            let lines = fence.replacingOccurrences(of: "\\\n", with: "").split(separator: "\n")
            return lines.dropFirst().map(String.init)
        }
    }

    /// A script's line that shows a command, which comes next.
    static func shown(_ command: String) -> String {
        "printf '%s\\n' '$ \(command.replacingOccurrences(of: "'", with: "'\\''"))'"
    }

    /// The program that types: see what it says itself.
    static let typist = Vectors.packageFolder + "/Tests/mildam/typist.py"

    /// Runs a script of bash at a terminal.
    ///
    /// - Parameters:
    ///   - answers: what is typed, `QUESTION=ANSWER` each.
    ///   - folder: where it runs.
    ///   - seconds: after which it is ended.
    static func play(
        _ script: [String],
        answering answers: [String],
        in folder: TemporaryFolder,
        environment: [String: String],
        within seconds: Int = 60
    ) async throws -> Program.Result {
        let text = Data(script.joined(separator: "\n").utf8)
        try text.write(to: URL(fileURLWithPath: folder.file("script")))
        return try await Program.result(
            of: "timeout",
            ["\(seconds)", "python3", typist] + answers + ["--", "bash", "script"],
            environment: environment.merging(["TERM": "dumb"]) { $1 },
            folder: folder.path
        )
    }
}
