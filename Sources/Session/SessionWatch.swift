import Glibc
import MildamSystem

/// Watches for what happens to the machine and to its user's sessions, where systemd-logind tells it over the system bus.
///
/// Many machines have neither, and what there is may end: nothing fails for want of it, `status` tells, and nobody should
/// rely on it alone. What happens while there is no connection is not made up for. It ends when its owner goes.
public final class SessionWatch: Sendable {
    private let state: Lock<SessionStatus>
    private let end: StopSignal?

    /// Begins to watch, on a thread of its own.
    ///
    /// - Parameters:
    ///   - pause: how long to wait before the bus is tried again, when it cannot be reached or has gone.
    ///   - handler: is called on that thread, for one event at a time. The machine sleeps when it has returned from
    ///     `.willSleep`, or will not wait any longer.
    public init(retryingAfter pause: Duration = .seconds(60), _ handler: @escaping @Sendable (SessionEvent) -> Void) {
        let state = Lock(SessionStatus.starting)
        self.state = state
        do throws(SystemError) {
            let end = try StopSignal()
            let watcher = SessionWatcher(end: end, pause: pause, state: state, handler: handler)
            guard Thread.detach(named: "mildam-session", { watcher.run() }) else {
                throw SystemError("start a thread", code: EAGAIN)
            }
            self.end = end
        } catch {
            end = nil
            state.withLock { $0 = .unavailable(error.description) }
        }
    }

    deinit {
        stop()
    }

    /// Whether events can be known at present.
    public var status: SessionStatus { state.withLock { $0 } }

    /// Ends watching, and no longer delays sleep. An event that is being handled is handled to its end.
    public func stop() {
        end?.give()
    }
}
