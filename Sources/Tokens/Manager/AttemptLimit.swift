/// At most five refreshes in thirty seconds, by CLOCK_BOOTTIME: whatever goes wrong, no server is stormed.
struct AttemptLimit {
    /// How many.
    static let count = 5
    /// In how many milliseconds.
    static let span: Int64 = 30_000

    private var times: [Int64] = []

    /// Takes one of the five.
    ///
    /// - Returns: after how many milliseconds the next may be, when there is none left; 0 when it was taken.
    mutating func take(at now: Int64) -> Int64 {
        times.removeAll { now - $0 >= AttemptLimit.span || $0 > now }
        guard let first = times.first, times.count >= AttemptLimit.count else {
            times.append(now)
            return 0
        }
        return first + AttemptLimit.span - now
    }
}
