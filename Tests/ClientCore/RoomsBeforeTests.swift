import Foundation
import TestSupport
import Testing

@Suite("The table of the first rooms' tests")
struct RoomsBeforeTests {
    /// A row: the tests of the first rooms, and their successors.
    private struct Row {
        let first: Substring
        let successor: Substring

        /// Whether the tests of the first rooms are there still.
        var isTheSame: Bool { successor.trimmingCharacters(in: .whitespaces).hasPrefix("the same") }
    }

    /// A file with tests.
    private struct Source {
        let name: String
        /// Its types and functions, as they are declared.
        var declarations: Set<Substring> = []

        /// Whether a suite is in it, or a part of one.
        func has(suite: Substring) -> Bool {
            ["struct", "class", "extension"].contains { declarations.contains("\($0) \(suite) {") }
        }

        /// Whether a function is in it.
        func has(function: Substring) -> Bool { declarations.contains("func \(function)(") }
    }

    private let page: String
    private let rows: [Row]
    private let sources: [Source]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let declaration = "(struct|class|extension) [A-Za-z]+ [{]|func [A-Za-z]+[(]"
        let found = try Program.run("/usr/bin/grep", ["-roE", "--include=*.swift", declaration, root.path + "/Tests"])
        var sources: [Substring: Source] = [:]
        for line in found.output.split(separator: "\n") {
            guard let end = line.firstIndex(of: ":"), let start = line[..<end].lastIndex(of: "/") else { continue }
            let name = String(line[line.index(after: start)..<end])
            sources[line[..<end], default: Source(name: name)].declarations.insert(line[line.index(after: end)...])
        }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/rooms-before.md"), encoding: .utf8)
        var rows: [Row] = []
        for row in page.split(separator: "\n") where row.hasPrefix("| ") {
            let cells = row.split(separator: "|")
            try #require(cells.count == 2, "\(row)")
            rows.append(Row(first: cells[0], successor: cells[1]))
        }
        (self.page, self.rows, self.sources) = (page, rows, Array(sources.values))
    }

    @Test("Every successor that is named exists")
    func successors() {
        var named = 0
        for row in rows {
            for match in row.successor.matches(of: /`([A-Z][A-Za-z]+)\.([A-Za-z]+)`/) {
                named += 1
                let (suite, function) = (match.output.1, match.output.2)
                let files = sources.filter { $0.name.hasPrefix(suite) }
                #expect(files.contains { $0.has(function: function) }, "\(suite).\(function)")
            }
        }
        #expect(named > 100)
    }

    @Test("Every test that is said to be the same exists")
    func theSame() throws {
        var named: [(suite: Substring, function: Substring?)] = []
        for row in rows where row.isTheSame {
            for match in row.first.matches(of: /`([A-Z][A-Za-z]+)(?:\.([A-Za-z]+))?`/) {
                named.append((suite: match.output.1, function: match.output.2))
            }
        }
        let sentence = page.firstMatch(of: /every test of ([^.]*) is the same/)
        let suites = try #require(sentence).output.1
        for match in suites.matches(of: /`([A-Z][A-Za-z]+)`/) {
            named.append((suite: match.output.1, function: nil))
        }
        for (suite, function) in named {
            let files = sources.filter { $0.has(suite: suite) }
            #expect(!files.isEmpty, "\(suite)")
            guard let function else { continue }
            #expect(files.contains { $0.has(function: function) }, "\(suite).\(function)")
        }
        #expect(named.count > 100)
    }
}
