import Glibc
import MildamSystem

/// Tells a thread, also one that waits, to end.
final class StopSignal: Sendable {
    private let pair: SocketPair

    init() throws(SystemError) {
        pair = try SocketPair()
    }

    /// Gives it, once and for all.
    func give() {
        shutdown(pair.own.number, Int32(SHUT_RDWR))
    }

    /// A descriptor that can be read when it is given, for `poll(2)`.
    var number: Int32 { pair.theirs.number }

    /// Whether it is given, or will be in this time.
    func isGiven(within time: Duration = .zero) -> Bool {
        let end = SuspendingClock.now + time
        var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            // Rounded up; a long time is waited for in parts.
            let rest = max(.zero, min(end - .now, .seconds(3600)))
            if unsafe poll(&wanted, 1, Int32((rest / .milliseconds(1)).rounded(.up))) > 0 { return true }
            if rest == .zero { return false }
        }
    }
}
