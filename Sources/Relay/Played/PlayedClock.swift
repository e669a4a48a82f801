import MildamSystem

/// The clocks of a relay that is played: somebody says what time it is.
final class PlayedClock: Sendable {
    private let time: Lock<Time>

    private struct Time: Sendable {
        /// Since 1970.
        var milliseconds: Int64
        /// Milliseconds of a clock that does not go back.
        var steady: UInt64
    }

    init(_ milliseconds: Int64, steady: UInt64) { time = Lock(Time(milliseconds: milliseconds, steady: steady)) }

    /// Milliseconds since 1970.
    var milliseconds: Int64 { time.withLock { $0.milliseconds } }

    /// Milliseconds of a clock that does not go back.
    var steady: UInt64 { time.withLock { $0.steady } }

    func set(_ milliseconds: Int64, steady: UInt64) {
        time.withLock { $0 = Time(milliseconds: milliseconds, steady: steady) }
    }
}
