import FoundationEssentials
import MildamClientCore
import MildamSimulate
import Testing

@Suite("The page of the simulation")
struct CoveragePageTests {
    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The cells of each row of a table whose first cell is a name in backquotes.
    private func rows() throws -> [[String]] {
        try text("Documentation/simulation.md").split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.filter { $0 != "`" }.dropFirst().dropLast() }.map { String($0) }
        }
    }

    @Test("What no honest world comes to is in the table, with the test that shows it; those tests are there")
    func counters() throws {
        let counters = Coverage.counters.filter { $0.directTest != nil }
        let rows = try rows().filter { $0.count == 3 }
        #expect(rows.map { $0[0] } == counters.map(\.name))
        #expect(rows.map { $0[2] } == counters.map { $0.directTest ?? "" })
        #expect(Set(Coverage.counters.map(\.name)).count == Coverage.counters.count)
        for row in rows {
            let names = row[2].split(separator: ".")
            try #require(names.count == 2, "\(row[2])")
            #expect(try text("Tests/ClientCore/\(names[0]).swift").contains("func \(names[1])("), "\(row[2])")
        }
    }

    @Test("Each mistake that can be planted is in the table")
    func faults() throws {
        let rows = try rows().filter { $0.count == 2 }
        #expect(rows.map { $0[0] } == PlantedFault.allCases.map(\.rawValue))
    }
}
