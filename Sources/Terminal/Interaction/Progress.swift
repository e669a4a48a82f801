import Glibc

/// How far a long transfer is: one line on standard error, which is gone at the end.
///
/// Nothing at all is written where standard error is no terminal.
public struct Progress: ~Copyable {
    private let label: String
    private let total: Int64?
    private let console: Console
    private let milliseconds: () -> Int64
    private let isShown: Bool
    private let started: Int64
    private var drawn: Int64?
    private var drawnDone: Int64 = 0
    private var rate: Double = 0
    private var columns = 0

    /// The least time between two updates of the line, in milliseconds.
    private static let interval: Int64 = 100

    /// Begins at nothing done.
    ///
    /// - Parameter label: what is under way: "sending photo.png". It may come from elsewhere; it is made safe here.
    /// - Parameter total: the bytes to do, if they are known.
    /// - Parameter milliseconds: a clock that never goes back.
    public init(
        _ label: String,
        total: Int64?,
        console: Console,
        milliseconds: @escaping () -> Int64 = Progress.monotonic
    ) {
        self.label = TerminalText.sanitized(label)
        self.total = total
        self.console = console
        self.milliseconds = milliseconds
        isShown = console.isTerminal(.errors)
        started = milliseconds()
    }

    deinit {
        if drawn != nil { try? console.print(Self.erasing(columns, console), terminator: "", to: .errors) }
    }

    /// Shows that `done` bytes are done, unless the line was drawn less than a tenth of a second ago.
    public mutating func update(to done: Int64) {
        guard isShown else { return }
        let now = milliseconds()
        let since = now - (drawn ?? started)
        if drawn != nil, since < Self.interval { return }
        if since > 0 {
            let current = (Double(done) - Double(drawnDone)) * 1000 / Double(since)
            // Smoothed over about a second, so that the time left does not flicker.
            rate = drawn == nil ? current : rate + (current - rate) * min(1, Double(since) / 1000)
        }
        drawn = now
        drawnDone = done
        let line = DisplayWidth.truncated(text(done), to: console.width(of: .errors) - 1)
        try? console.print(Self.erasing(columns, console) + line, terminator: "", to: .errors)
        columns = DisplayWidth.of(line)
    }

    /// Takes the line away.
    public consuming func finish() {}

    private func text(_ done: Int64) -> String {
        var parts = [label]
        if let total, total > 0 {
            let percent = Int(Double(min(max(done, 0), total)) / Double(total) * 100)
            parts.append("\(ByteCount.text(done)) of \(ByteCount.text(total)), \(percent) %")
        } else {
            parts.append(ByteCount.text(done))
        }
        if rate >= 1, rate < 1e15 {
            parts.append("\(ByteCount.text(Int64(rate)))/s")
            if let total, total > done, Double(total - done) / rate < 360_000 {
                parts.append("\(Self.time(seconds: Int(Double(total - done) / rate))) left")
            }
        }
        return parts.joined(separator: "  ")
    }

    /// "0:07", "12:05", "1:00:00".
    private static func time(seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60
        if minutes < 60 { return "\(minutes):\(two(seconds % 60))" }
        return "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
    }

    private static func erasing(_ columns: Int, _ console: Console) -> String {
        console.understandsEscapes(.errors) ? "\r\u{1B}[K" : "\r\(String(repeating: " ", count: columns))\r"
    }

    /// Milliseconds of `CLOCK_MONOTONIC`.
    public static func monotonic() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
