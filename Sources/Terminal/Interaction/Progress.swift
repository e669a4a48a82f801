import Glibc
import MildamSystem

/// How far something long is: one line on standard error, which is gone at the end. Any thread may move it.
///
/// Nothing at all is written where standard error is no terminal.
public final class Progress: Sendable {
    private struct Line {
        var done: Int64 = 0
        var drawn: Int64?
        var drawnDone: Int64 = 0
        var rate: Double = 0
        var columns = 0
        var isOver = false
        var ended: Int64 = 0
    }

    private let label: String
    private let console: Console
    private let milliseconds: @Sendable () -> Int64
    private let isShown: Bool
    private let started: Int64
    private let line = Lock(Line())

    /// The least time between two updates of the line, in milliseconds.
    private static let interval: Int64 = 100

    /// Begins at nothing done.
    ///
    /// - Parameter label: what is under way: "sending photo.png". It may come from elsewhere; it is made safe here.
    /// - Parameter milliseconds: a clock that never goes back.
    public init(
        _ label: String,
        console: Console,
        milliseconds: @escaping @Sendable () -> Int64 = Progress.monotonic
    ) {
        self.label = TerminalText.sanitized(label)
        self.console = console
        self.milliseconds = milliseconds
        isShown = console.isTerminal(.errors)
        started = milliseconds()
    }

    deinit {
        finish()
    }

    /// Shows that `done` bytes are done, unless the line was drawn less than a tenth of a second ago.
    ///
    /// - Parameter total: the bytes to do, if they are known.
    public func update(to done: Int64, of total: Int64?) {
        guard isShown else { return }
        line.withLock { line in
            guard !line.isOver else { return }
            line.done = done
            let now = milliseconds()
            let since = now - (line.drawn ?? started)
            if line.drawn != nil, since < Self.interval { return }
            if since > 0 {
                let current = (Double(done) - Double(line.drawnDone)) * 1000 / Double(since)
                // Smoothed over about a second, so that the time left does not flicker.
                line.rate =
                    line.drawn == nil ? current : line.rate + (current - line.rate) * min(1, Double(since) / 1000)
            }
            line.drawn = now
            line.drawnDone = done
            let shown = DisplayWidth.truncated(text(done, total, line.rate), to: console.width(of: .errors) - 1)
            try? console.print(console.erasing(line.columns) + shown, terminator: "", to: .errors)
            line.columns = DisplayWidth.of(shown)
        }
    }

    /// Takes the line away.
    public func finish() {
        line.withLock { line in
            if !line.isOver { line.ended = milliseconds() }
            line.isOver = true
            guard line.drawn != nil else { return }
            line.drawn = nil
            try? console.print(console.erasing(line.columns), terminator: "", to: .errors)
        }
    }

    /// What was done, how long it took, and the rate: "1.2 GB in 0:14, 85 MB/s".
    ///
    /// `nil` before the end, where no terminal shows it, and for less than a megabyte, whose rate says nothing.
    public var summary: String? {
        line.withLock { line in
            guard line.isOver, line.done >= Self.leastSummed else { return nil }
            let milliseconds = max(line.ended - started, 1)
            let rate = Double(line.done) * 1000 / Double(milliseconds)
            guard rate < 1e15 else { return nil }
            let isShort = milliseconds < 10_000
            let time = isShort ? Self.seconds(milliseconds) : Self.time(seconds: Int(milliseconds / 1000))
            return "\(ByteCount.text(line.done)) in \(time), \(ByteCount.text(Int64(rate)))/s"
        }
    }

    /// The fewest bytes that are summed up.
    private static let leastSummed: Int64 = 1_000_000

    /// "2.4 s".
    private static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
    }

    private func text(_ done: Int64, _ total: Int64?, _ rate: Double) -> String {
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

    /// Milliseconds of `CLOCK_MONOTONIC`.
    public static func monotonic() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
