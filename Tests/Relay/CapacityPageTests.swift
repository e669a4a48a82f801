import Foundation
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("Documentation/capacity.md")
struct CapacityPageTests {
    /// The cells of the table's rows under a heading of the page, without its head.
    private static func rows(under heading: String) throws -> [[String]] {
        let path = FileManager.default.currentDirectoryPath + "/Documentation/capacity.md"
        let lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## \(heading)"))
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// A size as the page shows it.
    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case 0: "0"
        case 1 << 20..<Int.max where bytes % (1 << 20) == 0: "\(bytes >> 20) MiB"
        default: "\(bytes >> 10) KiB"
        }
    }

    @Test("each route has one row, with the longest body that it takes and the rates that it is counted by")
    func routes() throws {
        let rows = try Self.rows(under: "Routes")
        #expect(rows.count == RouteTable.handlers.count)
        for handler in RouteTable.handlers {
            let name = "`\(handler.route.method.rawValue) \(handler.route.path.text)`"
            let row = try #require(rows.filter { $0[0] == name }.first, "no row for \(name)")
            try #require(row.count == 8, "\(name)")
            #expect(row.allSatisfy { !$0.isEmpty }, "\(name) says nothing of something")
            #expect(row[1].first.map { "1234".contains($0) } == true, "\(name): \(row[1])")
            #expect(row[5] == Self.size(handler.route.maximumBody), "\(name)")
            let rates = handler.rules.map { "`\($0.name)`" }.joined(separator: " ")
            #expect(row[7] == (rates.isEmpty ? "—" : rates), "\(name)")
        }
        #expect(Set(rows.map { $0[0] }).count == rows.count)
    }

    @Test("what comes before a route has its rows, each bounded by something")
    func before() throws {
        let rows = try Self.rows(under: "Before a route")
        for name in ["connection", "TLS handshake", "`/live`", "`/ready`", "`/metrics`"] {
            let row = try #require(rows.first { $0[0] == name }, "no row for \(name)")
            #expect(row.count == 5 && row[4].hasPrefix("`\(RateRule.connection.name)`"), "\(name)")
        }
        #expect(rows.allSatisfy { $0.allSatisfy { !$0.isEmpty } })
    }

    @Test("a day's sums are those of the rates")
    func days() throws {
        let rows = try Self.rows(under: "A day")
        #expect(rows.map { $0[0] } == RateRule.allCases.map { "`\($0.name)`" })
        for (row, rule) in zip(rows, RateRule.allCases) {
            let day = rule.rate.burst + 1440 * (60_000_000_000 / rule.rate.interval)
            #expect(row[1] == "\(rule.scope)", "\(rule)")
            #expect(row[2] == Self.grouped(day), "\(rule)")
        }
    }

    /// "1,500,000".
    private static func grouped(_ number: UInt64) -> String {
        var (digits, groups) = (Substring("\(number)"), [Substring]())
        while !digits.isEmpty {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return groups.reversed().joined(separator: ",")
    }

    @Test("every rule bounds some route, or something before one")
    func rules() throws {
        let named = Set(RouteTable.handlers.flatMap(\.rules).map { "`\($0.name)`" })
        let before = try Self.rows(under: "Before a route").map { $0[4] }
        for rule in RateRule.allCases.map({ "`\($0.name)`" }) {
            #expect(named.contains(rule) || before.contains { $0.contains(rule) }, "\(rule)")
        }
    }
}
