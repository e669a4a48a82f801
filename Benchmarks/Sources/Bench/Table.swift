/// How a figure is written.
enum Unit {
    case nanoseconds
    case microseconds
    case milliseconds
    case megabytesPerSecond
    case perSecond
    case megabytes
    case bytes
    case count

    /// A value in the base unit: nanoseconds, bytes a second, events a second, bytes, or so many.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds: "\(Int(value.rounded())) ns"
        case .microseconds: "\((value / 1000).text(1)) us"
        case .milliseconds: "\((value / 1_000_000).text(2)) ms"
        case .megabytesPerSecond: "\(Int((value / 1_000_000).rounded())) MB/s"
        case .perSecond: "\(Int(value.rounded())) /s"
        case .bytes: "\(Int(value.rounded())) B"
        case .count: "\(Int(value.rounded()))"
        case .megabytes: "\((value / 1_000_000).text(1)) MB"
        }
    }

    /// Whether less is better.
    var isCost: Bool {
        switch self {
        case .nanoseconds, .microseconds, .milliseconds, .megabytes, .bytes, .count: true
        case .megabytesPerSecond, .perSecond: false
        }
    }
}

/// One line of the table.
struct Figure {
    /// What must be reached.
    enum Goal {
        case ratio(atLeast: Double)
        case value(atMost: Double)
        case rate(atLeast: Double)
    }

    let what: String
    let value: Double
    let unit: Unit
    var peer: (name: String, value: Double)?
    var goal: Goal?
    var note = ""

    /// How much better than the peer: above 1 is faster, or smaller.
    var ratio: Double? {
        guard let peer, peer.value > 0, value > 0 else { return nil }
        return unit.isCost ? peer.value / value : value / peer.value
    }

    /// Whether the goal is met; `nil` without one.
    var isMet: Bool? {
        switch goal {
        case nil: nil
        case .ratio(let least)?: ratio.map { $0 >= least }
        case .value(let most)?: value <= most
        case .rate(let least)?: value >= least
        }
    }

    private var goalText: String {
        switch goal {
        case nil: ""
        case .ratio(let least)?: ">= \(least.text(2))"
        case .value(let most)?: "<= \(unit.text(most))"
        case .rate(let least)?: ">= \(unit.text(least))"
        }
    }

    fileprivate var cells: [String] {
        [
            what, unit.text(value), peer.map { unit.text($0.value) } ?? "", peer?.name ?? "",
            ratio.map { $0.text(2) } ?? "", goalText, isMet.map { $0 ? "yes" : "NO" } ?? "", note,
        ]
    }
}

/// The figures in columns.
func table(_ figures: [Figure]) -> String {
    let head = ["what", "here", "peer", "which peer", "ratio", "goal", "met", "note"]
    let rows = [head] + figures.map(\.cells)
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        let cells = zip(row.indices, row).map { column, cell in
            let blank = String(repeating: " ", count: widths[column] - cell.count)
            return [1, 2, 4].contains(column) ? blank + cell : cell + blank
        }
        return cells.joined(separator: "  ").trimmingEnd
    }.joined(separator: "\n")
}

extension Double {
    /// With so many decimals.
    func text(_ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let number = Int((self * scale).rounded())
        guard decimals > 0 else { return "\(number)" }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: Swift.max(0, decimals + 1 - digits.count)) + digits
        return "\(number < 0 ? "-" : "")\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
