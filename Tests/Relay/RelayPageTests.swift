import Foundation
import Testing

@testable import MildamRelay

@Suite("Documentation/relay.md")
struct RelayPageTests {
    @Test("the rates are those of the relay")
    func rates() throws {
        let path = FileManager.default.currentDirectoryPath + "/Documentation/relay.md"
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count == 6 && $0[0].hasPrefix("`") }
        #expect(rows.count == RateRule.allCases.count)
        for (row, rule) in zip(rows, RateRule.allCases) {
            let scope =
                switch rule.scope {
                case .address: "address"
                case .account: "account"
                }
            let minute = 60_000_000_000 / rule.rate.interval
            #expect(
                [row[0], row[2], row[3], row[4], row[5]] == [
                    "`\(rule.name)`", scope, "\(rule.rate.burst)", "\(minute)",
                    rule.failure == .open ? "open" : "closed",
                ]
            )
        }
    }

    @Test("the quotas are those of the relay")
    func quotas() throws {
        let path = FileManager.default.currentDirectoryPath + "/Documentation/relay.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let quota = RelayQuota()
        #expect(page.contains("| `--room-quota SIZE` | \(quota.roomBytes / 1_000_000_000)G |"))
        #expect(page.contains("| `--account-quota SIZE` | \(quota.accountBytes / 1_000_000_000)G |"))
        #expect(page.contains("| `--network-quota SIZE` | \(quota.networkBytes / 1_000_000_000)G |"))
        #expect(quota.accountRooms == 10_000 && page.contains("make 10,000 rooms"))
        #expect(quota.accountBlobs == 100_000 && page.contains("upload 100,000 files"))
        #expect(quota.mailboxItems == 10_000 && page.contains("holds 10,000\nWelcomes"))
        #expect(quota.roomMembers == 1_000 && page.contains("has 1,000 members"))
        #expect(DiskUsage.row == 256 && page.contains("256 bytes"))
        #expect(quota.requestItems == 200 && quota.requestBytes == 2 << 20 && page.contains("200 (2 MiB) of strangers"))
        #expect(
            quota.senderItems == 1_000 && quota.senderBytes == 16 << 20 && page.contains("at most 1,000 (16 MiB)")
        )
        #expect(quota.senderRequests == 8 && quota.senderRequestBytes == 512 << 10 && page.contains("and 8\n(512 KiB)"))
        #expect(Retention().unfinishedDays == 7 && page.contains("after seven days"))
    }
}
