import Foundation
import Testing

@testable import MildamRelay

/// Documentation/capacity.md, and figures as it writes them.
struct CapacityPage {
    private let lines: [Substring]

    init() throws {
        let path = FileManager.default.currentDirectoryPath + "/Documentation/capacity.md"
        lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The cells of the table's rows under a heading, without its head.
    func rows(under heading: String) throws -> [[String]] {
        let start = try #require(lines.firstIndex { $0 == "## \(heading)" })
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// All of it, however its lines are broken.
    var text: String {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }

    /// "16 KiB", "1 MiB".
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case 0: "0"
        case 1 << 20..<Int.max where bytes % (1 << 20) == 0: "\(bytes >> 20) MiB"
        default: "\(bytes >> 10) KiB"
        }
    }

    /// The next power of two: "64 KiB" for 40,000 bytes.
    static func bound(_ bytes: Int) -> String {
        var bound = 1
        while bound < bytes { bound *= 2 }
        return size(bound)
    }

    /// The next tenth: "1.5 MiB".
    static func mebibytes(_ bytes: Int) -> String {
        let tenths = (bytes * 10 + (1 << 20) - 1) >> 20
        return "\(tenths / 10).\(tenths % 10) MiB"
    }

    /// "1,500,000".
    static func grouped(_ number: UInt64) -> String {
        var (digits, groups) = (Substring("\(number)"), [Substring]())
        while !digits.isEmpty {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return groups.reversed().joined(separator: ",")
    }

    /// The same.
    static func grouped(_ number: Int) -> String { grouped(UInt64(number)) }

    /// With two digits that count: "4.5", "96".
    static func rounded(_ number: Double) -> String {
        number < 10 ? "\((number * 10).rounded() / 10)" : "\(Int(number.rounded()))"
    }

    /// What a bucket holds, and what comes into it in 24 hours.
    static func day(_ rule: RateRule) -> UInt64 {
        rule.rate.burst + 1440 * (60_000_000_000 / rule.rate.interval)
    }
}
