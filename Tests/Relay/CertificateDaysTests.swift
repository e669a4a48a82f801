import Testing

@testable import MildamRelay

@Suite("What is told of a certificate")
struct CertificateDaysTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_800_000_000

    struct Row: Sendable {
        let days: Int64
        let now: Int64
        let told: CertificateDays
    }

    @Test(
        arguments: [
            Row(days: 90, now: -1, told: .notYetValid), Row(days: 90, now: 0, told: .good),
            Row(days: 90, now: 76 * day, told: .good), Row(days: 90, now: 76 * day + 1, told: .endsSoon),
            Row(days: 90, now: 90 * day, told: .endsSoon), Row(days: 90, now: 90 * day + 1, told: .expired),
            // One that lives six days is changed every few, and that is no news.
            Row(days: 6, now: 4 * day, told: .good), Row(days: 6, now: 4 * day + 1, told: .endsSoon),
            Row(days: -1, now: 1, told: .expired),
        ]
    )
    func told(_ row: Row) {
        let until = Self.start + row.days * Self.day
        #expect(CertificateDays(from: Self.start, until: until, at: Self.start + row.now) == row.told)
    }
}
