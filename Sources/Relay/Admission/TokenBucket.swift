/// A bucket that fills at a steady rate and holds so much; each request takes from it, and waits outside when it is empty.
///
/// It is kept as the moment at which it will be full again, which is all there is to know of it (the generic cell rate
/// algorithm of ITU-T I.371): eight bytes, and a full bucket need not be kept at all.
struct TokenBucket {
    /// How a kind of bucket fills.
    struct Rate: Equatable {
        /// What a full one holds.
        let burst: UInt64
        /// How long one token takes to come, in nanoseconds.
        let interval: UInt64

        /// - Parameter perMinute: tokens that come in a minute.
        init(burst: UInt64, perMinute: UInt64) {
            self.burst = burst
            interval = 60_000_000_000 / perMinute
        }

        /// As many at once as come in a day, or fewer.
        init(aDay count: UInt64, atOnce burst: UInt64 = .max) {
            self.burst = min(burst, count)
            interval = 86_400_000_000_000 / max(1, count)
        }
    }

    private var fullAt: UInt64 = 0

    /// Whether it is as good as one that was never used.
    func isFull(at now: UInt64) -> Bool { fullAt <= now }

    /// Becomes as empty as another is that is emptier.
    mutating func merge(_ other: TokenBucket) {
        fullAt = max(fullAt, other.fullAt)
    }

    /// Takes tokens: one, unless said otherwise.
    ///
    /// - Parameters:
    ///   - cost: how many; what costs more than a bucket holds takes a full one.
    ///   - now: nanoseconds of a clock that never goes back.
    /// - Returns: `nil` when they were there; otherwise how long until it will be, in nanoseconds, and nothing is taken.
    mutating func take(_ cost: UInt64 = 1, from rate: Rate, at now: UInt64) -> UInt64? {
        let taken = max(fullAt, now) + min(cost, rate.burst) * rate.interval
        let emptyAt = now + rate.burst * rate.interval
        guard taken <= emptyAt else { return taken - emptyAt }
        fullAt = taken
        return nil
    }
}
