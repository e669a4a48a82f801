import FoundationEssentials
import MildamClientCore
import Testing

@Suite("The table of causes why something could not be read")
struct CauseTableTests {
    /// A row of the table.
    private struct Row {
        let code: String
        let repair: String
        let words: String
        /// SUITE.FUNCTION of each test.
        let tests: [String]

        init?(_ line: Substring) {
            let cells = line.split(separator: "|").map { $0.dropFirst().dropLast() }
            guard line.hasPrefix("| `"), cells.count == 4 else { return nil }
            code = cells[0].filter { $0 != "`" }
            repair = String(cells[1])
            words = String(cells[2])
            tests = cells[3].split(separator: ",").map { $0.filter { $0 != "`" && $0 != " " } }
        }
    }

    private static let all: [Cause] = [
        .behindRetention(first: 1), .commitNotProcessable(number: 1), .ownStateOlder(number: 1), .welcomeDoesNotOpen,
        .differentHistory(number: 1), .repeated, .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken,
        .recordsDamaged, .dueProposalRefused(number: 1), .beforeComingIn, .lostAtRestore,
    ]

    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private func rows() throws -> [Row] {
        try text("Documentation/room-causes.md").split(separator: "\n").compactMap { Row($0) }
    }

    @Test("Every cause that the core has is in the table once, with its repair")
    func causes() throws {
        let source = try text("Sources/ClientCore/Seams/Cause.swift")
        let codes = source.split(separator: "\n").compactMap { (line) -> String? in
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            return parts.count == 3 && parts[0].hasPrefix("        case .") ? String(parts[1]) : nil
        }
        #expect(!codes.isEmpty)
        #expect(codes.sorted() == CauseTableTests.all.map(\.code).sorted())
        let rows = try rows()
        #expect(rows.map(\.code).sorted() == codes.sorted())
        for cause in CauseTableTests.all {
            let row = try #require(rows.first { $0.code == cause.code })
            #expect(row.repair == cause.remedy.code, "\(row.code)")
        }
    }

    @Test("The words of the table are those that the program has")
    func words() throws {
        let program = try text("Sources/mildam/Room/RoomCauseWords.swift").split { $0 == " " || $0 == "\n" }
            .joined(separator: " ")
        for row in try rows() {
            #expect(program.contains("\"\(row.code)\": \"\(row.words)\""), "\(row.code)")
        }
    }

    @Test("The tests of the table are there")
    func tests() throws {
        for row in try rows() {
            #expect(!row.tests.isEmpty, "\(row.code)")
            for test in row.tests {
                let names = test.split(separator: ".")
                try #require(names.count == 2, "\(test)")
                #expect(try text("Tests/ClientCore/\(names[0]).swift").contains("func \(names[1])("), "\(test)")
            }
        }
    }
}
