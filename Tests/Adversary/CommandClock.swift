import MildamSystem

/// How long somebody's commands took.
final class CommandClock: Sendable {
    private let times = Lock<[(command: String, time: Duration)]>([])

    func note(_ time: Duration, _ command: String) {
        times.withLock { $0.append((command, time)) }
    }

    /// What was noted since the last time: the slowest command, and a line for a proof.
    func take() -> (slowest: Duration, line: String) {
        let noted = times.withLock { times in
            defer { times = [] }
            return times.sorted { $0.time < $1.time }
        }
        guard let last = noted.last else { return (.zero, "nothing") }
        func milliseconds(_ time: Duration) -> Int64 { Int64(time / .milliseconds(1)) }
        let median = milliseconds(noted[noted.count / 2].time)
        let slowest = "slowest \(milliseconds(last.time)) ms (\(last.command))"
        return (last.time, "\(noted.count): median \(median) ms, \(slowest)")
    }
}
