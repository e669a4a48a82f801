import Glibc
import MildamSystem

/// What the thread of a `SessionWatch` does.
final class SessionWatcher: Sendable {
    private let end: StopSignal
    private let pause: Duration
    private let state: Lock<SessionStatus>
    private let handler: @Sendable (SessionEvent) -> Void

    init(
        end: StopSignal,
        pause: Duration,
        state: Lock<SessionStatus>,
        handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.end = end
        self.pause = pause
        self.state = state
        self.handler = handler
    }

    /// Watches until the end, connecting as often as it takes.
    func run() {
        while true {
            do throws(BusError) {
                return try watch()
            } catch {
                state.withLock { $0 = .unavailable(error.description) }
            }
            guard !end.isGiven(within: pause) else { return }
        }
    }

    /// Watches until the end.
    ///
    /// - Throws: when there is no manager, or no bus any more.
    private func watch() throws(BusError) {
        let manager = try LoginManager()
        var delay = Self.delaySleep(manager)
        while true {
            let delaysSleep = delay != nil
            state.withLock { $0 = .watching(delaysSleep: delaysSleep) }
            while let notice = try manager.next() {
                if end.isGiven() { return }
                switch notice {
                case .prepareForSleep(true):
                    handler(.willSleep)
                    // The machine may sleep now.
                    delay = nil
                case .prepareForSleep(false):
                    delay = Self.delaySleep(manager)
                    handler(.woke)
                case .lock(let session, let isLocked):
                    // One that nobody can be asked about is locked for, and not unlocked.
                    guard manager.isOwn(session: session) ?? isLocked else { continue }
                    handler(isLocked ? .screenLocked : .screenUnlocked)
                case .gone:
                    throw BusError("hear systemd-logind", "it has ended")
                case .other:
                    break
                }
            }
            guard try manager.wait(unless: end) else { return }
        }
    }

    /// What keeps the machine from sleeping at once; `nil` where that is refused, as to a user from afar it may be.
    private static func delaySleep(_ manager: borrowing LoginManager) -> Descriptor? {
        try? manager.delaySleep()
    }
}
