import Glibc
import MildamSystem

/// A wait that signals end early, for a program that has something to put in order before it goes.
///
/// From when it is made until it goes, the signals that would end or stop the program do not: one that arrives before the
/// wait ends that as soon as it begins. One at a time in a process.
public struct InterruptibleWait: ~Copyable {
    private let signals: SignalCatcher

    /// Begins to listen.
    ///
    /// - Throws: `SystemError` when there are no descriptors left.
    public init() throws(SystemError) { signals = try SignalCatcher() }

    /// Whether a signal has arrived that nobody has taken. It is left there.
    public borrowing func hasSignal() -> Bool {
        var wanted = pollfd(fd: signals.incoming, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, 0) > 0
    }

    /// Waits; a machine that sleeps meanwhile is not waited for longer.
    ///
    /// - Returns: the signal that ended it early; `nil` when the time has passed.
    public borrowing func wait(for time: Duration) -> Int32? {
        let end = ContinuousClock.now + time
        while true {
            if let signal = signals.next() { return signal }
            let left = end - ContinuousClock.now
            guard left > .zero else { return nil }
            // The kernel's own timer does not count sleep: the clock is looked at again each second.
            let milliseconds = Int32(min(left, .seconds(1)) / .milliseconds(1)) + 1
            var wanted = pollfd(fd: signals.incoming, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&wanted, 1, milliseconds)
        }
    }
}
