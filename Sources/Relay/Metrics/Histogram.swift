/// How often something took how long.
final class Histogram: Sendable {
    /// The upper bounds of the classes, in nanoseconds; beyond the last there is one more.
    static let bounds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
    ]

    private let classes = (0...bounds.count).map { _ in Counter() }
    private let total = Counter()

    /// Counts one.
    func record(nanoseconds: UInt64) {
        classes[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count].add()
        total.add(nanoseconds)
    }

    /// How many took at most each bound, and how many there were at all.
    var cumulative: [UInt64] {
        var sum: UInt64 = 0
        return classes.map { one in
            sum += one.value
            return sum
        }
    }

    /// All of them together, in seconds.
    var seconds: Double { Double(total.value) / 1e9 }
}
