import Glibc

/// Nanoseconds on the monotonic clock.
func nanoseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Repeats `body` for about `time` nanoseconds, and returns what one turn took, in nanoseconds.
@inline(__always)
func cost(for time: Int64 = 300_000_000, _ body: () throws -> Void) rethrows -> Double {
    for _ in 0..<3 { try body() }
    var turns = 1
    while true {
        let start = nanoseconds()
        for _ in 0..<turns { try body() }
        let taken = nanoseconds() - start
        if taken >= time { return Double(taken) / Double(turns) }
        // Aims a little beyond the time, in at most sixteen times the turns.
        let wanted = Double(turns) * Double(time) * 1.1 / Double(max(taken, 1))
        turns = min(turns * 16, max(turns + 1, Int(wanted)))
    }
}

/// What one turn of `body` takes, in nanoseconds, where `prepare` is to be run before each and is not counted.
@inline(__always)
func cost(
    for time: Int64 = 300_000_000,
    after prepare: () throws -> Void,
    _ body: () throws -> Void
) rethrows -> Double {
    var taken: Int64 = 0
    var turns = 0
    while taken < time {
        try prepare()
        let start = nanoseconds()
        try body()
        taken += nanoseconds() - start
        turns += 1
    }
    return Double(taken) / Double(turns)
}

extension [Double] {
    /// The middle value; of an even number of them, the upper middle.
    var median: Double { quantile(0.5) }

    /// The value that `part` of all values do not exceed; 0 of none.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

/// Runs each measurement in turn, `rounds` times over, so that a slow moment of the machine falls on all of them;
/// returns each one's median.
func alternating(_ rounds: Int, _ measurements: [() async throws -> Double]) async throws -> [Double] {
    var results = [[Double]](repeating: [], count: measurements.count)
    for _ in 0..<rounds {
        for (index, measurement) in measurements.enumerated() { results[index].append(try await measurement()) }
    }
    return results.map(\.median)
}
