import Foundation
import Glibc
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
        let text: Data

        /// Whether a suite is in it, or a part of one.
        func has(_ suite: Substring) -> Bool {
            ["struct", "class", "extension"].contains { has("\($0) \(suite) {") }
        }

        /// Whether these words are in it.
        func has(_ words: String) -> Bool {
            unsafe text.withUnsafeBytes { text in
                unsafe Data(words.utf8).withUnsafeBytes { words in
                    unsafe memmem(text.baseAddress, text.count, words.baseAddress, words.count) != nil
                }
            }
        }
    }

    private let page: String
    private let rows: [Row]
    private let sources: [Source]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let tests = root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        var sources: [Source] = []
        for file in files where file.hasSuffix(".swift") {
            let text = try Data(contentsOf: tests.appendingPathComponent(file))
            sources.append(Source(name: URL(fileURLWithPath: file).lastPathComponent, text: text))
        }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/rooms-before.md"), encoding: .utf8)
        var rows: [Row] = []
        for row in page.split(separator: "\n") where row.hasPrefix("| ") {
            let cells = row.split(separator: "|")
            try #require(cells.count == 2, "\(row)")
            rows.append(Row(first: cells[0], successor: cells[1]))
        }
        (self.page, self.rows, self.sources) = (page, rows, sources)
    }

    @Test("Every successor that is named exists")
    func successors() {
        var named = 0
        for row in rows {
            for match in row.successor.matches(of: /`([A-Z][A-Za-z]+)\.([A-Za-z]+)`/) {
                named += 1
                let (suite, function) = (match.output.1, match.output.2)
                let files = sources.filter { $0.name.hasPrefix(suite) }
                #expect(files.contains { $0.has("func \(function)(") }, "\(suite).\(function)")
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
            let files = sources.filter { $0.has(suite) }
            #expect(!files.isEmpty, "\(suite)")
            guard let function else { continue }
            #expect(files.contains { $0.has("func \(function)(") }, "\(suite).\(function)")
        }
        #expect(named.count > 100)
    }
}
