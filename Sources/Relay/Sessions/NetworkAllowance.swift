/// How many lines of the log each network gets: so many in a minute, so that a few networks do not hide another. Only so
/// many networks are remembered: the one that was seen longest ago leaves first, and its count with it.
///
/// Pure: it is told the time, in nanoseconds of a clock that never goes back.
struct NetworkAllowance {
    /// Lines of one network in a minute: as many as whoever bans wants to see, so that a minute's guessing is enough.
    static let lines = 30
    /// How many networks are remembered: with each at some 50 bytes, 50 KiB. All lines of a minute are of fewer.
    static let networks = 1024

    private struct Minute {
        var begun: UInt64
        var seen: UInt64 = 0
        var written = 0
        var leftOut = 0
    }

    private var minutes: [UInt64: Minute] = [:]
    private var count: UInt64 = 0

    /// One more line.
    ///
    /// - Parameter network: its number (`SocketAddress.network`).
    /// - Returns: how many lines of the network were left out before this one, which is written; `nil` where it is not.
    mutating func take(_ network: UInt64, at now: UInt64) -> Int? {
        if minutes[network] == nil, minutes.count >= Self.networks,
            let last = minutes.min(by: { $0.value.seen < $1.value.seen })
        {
            minutes[last.key] = nil
        }
        var minute = minutes[network] ?? Minute(begun: now)
        if now < minute.begun || now - minute.begun >= LogAllowance.span {
            minute.begun = now
            minute.written = 0
        }
        count += 1
        minute.seen = count
        let leftOut = minute.leftOut
        let isWritten = minute.written < Self.lines
        if isWritten {
            minute.written += 1
            minute.leftOut = 0
        } else {
            minute.leftOut += 1
        }
        minutes[network] = minute
        return isWritten ? leftOut : nil
    }
}
