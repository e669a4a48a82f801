import Foundation
import Testing

@Suite("The table of the first rooms' tests")
struct RoomsBeforeTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("Every successor that is named exists")
    func successors() throws {
        let tests = root.appendingPathComponent("Tests")
        let files = (FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/rooms-before.md"), encoding: .utf8)
        var named = 0
        for row in page.split(separator: "\n") where row.hasPrefix("| ") {
            let cells = row.split(separator: "|")
            try #require(cells.count == 2, "\(row)")
            for match in cells[1].matches(of: /`([A-Z][A-Za-z]+)\.([A-Za-z]+)`/) {
                named += 1
                let (suite, function) = (String(match.output.1), String(match.output.2))
                let texts = try files.filter { $0.split(separator: "/").last?.hasPrefix(suite) ?? false }.map {
                    try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8)
                }
                #expect(texts.contains { $0.contains("func \(function)(") }, "\(suite).\(function)")
            }
        }
        #expect(named > 100)
    }
}
