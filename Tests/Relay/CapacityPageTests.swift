import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("Documentation/capacity.md")
struct CapacityPageTests {
    @Test("each route has one row, with the longest body that it takes and the rates that it is counted by")
    func routes() throws {
        let rows = try CapacityPage().rows(under: "Routes")
        #expect(rows.count == RouteTable.handlers.count)
        for handler in RouteTable.handlers {
            let name = "`\(handler.route.method.rawValue) \(handler.route.path.text)`"
            let row = try #require(rows.filter { $0[0] == name }.first, "no row for \(name)")
            try #require(row.count == 8, "\(name)")
            #expect(row.allSatisfy { !$0.isEmpty }, "\(name) says nothing of something")
            #expect(row[1].first.map { "1234".contains($0) } == true, "\(name): \(row[1])")
            #expect(row[5] == CapacityPage.size(handler.route.maximumBody), "\(name)")
            let rates = handler.rules.map { "`\($0.name)`" }.joined(separator: " ")
            #expect(row[7] == (rates.isEmpty ? "—" : rates), "\(name)")
        }
        #expect(Set(rows.map { $0[0] }).count == rows.count)
    }

    @Test("what comes before a route has its rows, each bounded by something")
    func before() throws {
        let rows = try CapacityPage().rows(under: "Before a route")
        for name in ["connection", "TLS handshake", "`/live`", "`/ready`", "`/metrics`"] {
            let row = try #require(rows.first { $0[0] == name }, "no row for \(name)")
            #expect(row.count == 5 && row[4].hasPrefix("`\(RateRule.connection.name)`"), "\(name)")
        }
        #expect(rows.allSatisfy { $0.allSatisfy { !$0.isEmpty } })
    }

    @Test("a day's sums are those of the rates")
    func days() throws {
        let rows = try CapacityPage().rows(under: "A day")
        #expect(rows.map { $0[0] } == RateRule.allCases.map { "`\($0.name)`" })
        for (row, rule) in zip(rows, RateRule.allCases) {
            #expect(row[1] == "\(rule.scope)", "\(rule)")
            #expect(row[2] == CapacityPage.grouped(CapacityPage.day(rule)), "\(rule)")
        }
    }

    @Test("every rule bounds some route, or something before one")
    func rules() throws {
        let named = Set(RouteTable.handlers.flatMap(\.rules).map { "`\($0.name)`" })
        let before = try CapacityPage().rows(under: "Before a route").map { $0[4] }
        for rule in RateRule.allCases.map({ "`\($0.name)`" }) {
            #expect(named.contains(rule) || before.contains { $0.contains(rule) }, "\(rule)")
        }
    }
}
