/// What of a turn goes to those who wait behind others: 32 of them, a fraction of a millisecond, and more until that has taken
/// a quarter of the time that the others took, so that a busy loop comes to them too.
struct TurnPortion {
    static let least = 32

    private var count = 0
    /// Monotonic nanoseconds.
    private let end: UInt64

    /// - Parameters:
    ///   - busy: the nanoseconds that the others took.
    ///   - start: when it begins.
    init(beside busy: UInt64, from start: UInt64) {
        end = start + busy / 4
    }

    mutating func take(_ number: Int) { count += number }

    func isSpent(at moment: @autoclosure () -> UInt64) -> Bool { count >= Self.least && moment() >= end }
}
