import MildamSystem
import MildamTransport

/// Holds the errors of a log to ``LogAllowance``, and logins that failed. What happens as it should is written as it is.
final class LogLimiter: Sendable {
    private let target: RelayLog
    private let logsRequests: Bool
    private let loop: EventLoop
    private let now: @Sendable () -> UInt64
    private let state = Lock(State())

    private struct State {
        var allowance = LogAllowance()
        var isScheduled = false
    }

    /// - Parameters:
    ///   - target: where the entries go.
    ///   - logsRequests: whether somebody asked for a line for each request: then none of those is left out.
    ///   - loop: on which a minute is waited for.
    ///   - now: nanoseconds of a clock that never goes back.
    init(_ target: RelayLog, logsRequests: Bool, loop: EventLoop, now: @escaping @Sendable () -> UInt64) {
        self.target = target
        self.logsRequests = logsRequests
        self.loop = loop
        self.now = now
    }

    /// The log that is held to it.
    var log: RelayLog { RelayLog { [self] in write($0) } }

    private func write(_ entry: RelayLog.Entry) {
        guard let lines = lines(of: entry) else { return target.write(entry) }
        let time = now()
        let (isWritten, leftOut, isFirst) = state.withLock { state in
            let (isWritten, leftOut) = state.allowance.take(entry.event, of: lines, at: time)
            let isFirst = !isWritten && !state.isScheduled
            if isFirst { state.isScheduled = true }
            return (isWritten, leftOut, isFirst)
        }
        tell(leftOut)
        if isWritten { target.write(entry) }
        if isFirst { schedule() }
    }

    /// How many lines of its kind there may be in a minute; `nil`: as many as there are.
    private func lines(of entry: RelayLog.Entry) -> Int? {
        if entry.event == LoginFailureLog.event { return LoginFailureLog.lines }
        return entry.level == .error && !(logsRequests && entry.event == RequestBook.event) ? LogAllowance.lines : nil
    }

    /// Tells what is left out, also where nothing more is to be said. Called once, at the end.
    func finish() {
        tell(state.withLock { $0.allowance.end() })
    }

    private func schedule() {
        _ = loop.schedule(after: .nanoseconds(Int64(LogAllowance.span))) { [weak self] in
            guard let self else { return }
            let time = now()
            let (leftOut, goesOn) = state.withLock { state in
                let leftOut = state.allowance.over(at: time)
                state.isScheduled = state.allowance.hasLeftOut
                return (leftOut, state.isScheduled)
            }
            tell(leftOut)
            if goesOn { schedule() }
        }
    }

    private func tell(_ leftOut: [LogAllowance.LeftOut]) {
        for lines in leftOut {
            target.error(
                "left_out",
                "more of the same in one minute was not written",
                .text("of", lines.event),
                .number("lines", lines.count)
            )
        }
    }
}
