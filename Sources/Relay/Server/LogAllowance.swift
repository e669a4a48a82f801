/// How many lines of the log each kind of event gets: so many in a minute, and then one that says how many were left out.
/// What a client can bring about again and again fills no disk.
///
/// Pure: it is told the time, in nanoseconds of a clock that never goes back.
struct LogAllowance {
    /// Lines of one event in a minute.
    static let lines = 5
    /// A minute.
    static let span: UInt64 = 60_000_000_000

    /// Lines that were left out.
    struct LeftOut: Equatable, Sendable {
        /// Of which event.
        let event: String
        /// How many.
        let count: Int
    }

    private struct Minute {
        let begun: UInt64
        var written = 0
        var leftOut = 0
    }

    /// Of events with lines in the last minute. There are as many kinds as the relay has.
    private var minutes: [String: Minute] = [:]

    /// Whether something is to be told yet.
    var hasLeftOut: Bool { minutes.values.contains { $0.leftOut > 0 } }

    /// One more line.
    ///
    /// - Parameter lines: how many the event may have in a minute.
    /// - Returns: whether it is written, and before it, what minutes that are over have left out.
    mutating func take(
        _ event: String,
        of lines: Int = LogAllowance.lines,
        at now: UInt64
    ) -> (isWritten: Bool, leftOut: [LeftOut]) {
        let leftOut = over(at: now)
        var minute = minutes[event] ?? Minute(begun: now)
        let isWritten = minute.written < lines
        if isWritten { minute.written += 1 } else { minute.leftOut += 1 }
        minutes[event] = minute
        return (isWritten, leftOut)
    }

    /// Ends the minutes that are over.
    mutating func over(at now: UInt64) -> [LeftOut] {
        end { now < $0.begun || now - $0.begun >= Self.span }
    }

    /// Ends all of them: nothing more is written.
    mutating func end() -> [LeftOut] {
        end { _ in true }
    }

    private mutating func end(where isOver: (Minute) -> Bool) -> [LeftOut] {
        let ended = minutes.filter { isOver($0.value) }
        for event in ended.keys { minutes[event] = nil }
        return ended.filter { $0.value.leftOut > 0 }.map { LeftOut(event: $0.key, count: $0.value.leftOut) }
            .sorted { $0.event < $1.event }
    }
}
