/// Milliseconds of a clock that does not go back, not over a restart either: while the program runs it follows the machine's
/// continuous clock, and a start begins it at the wall clock, but not below where it was seen last.
struct SteadyClock: Sendable {
    private let base: UInt64
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - mark: where it was seen last.
    ///   - wall: milliseconds since 1970.
    init(notBefore mark: UInt64, wall: UInt64) { base = max(mark, wall) }

    /// The moment.
    var now: UInt64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return base + UInt64(clamping: seconds) * 1000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
