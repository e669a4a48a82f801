import MildamSystem

/// One piece of work that a loop will do later, until it is cancelled.
public final class TimerToken: Sendable {
    private let work: Lock<(@Sendable () -> Void)?>

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = Lock(work)
    }

    /// Forgets the work, from any thread. When this returns on the loop, the work will not run any more.
    public func cancel() {
        _ = take()
    }

    /// Whether the work is done or cancelled.
    var isOver: Bool { work.withLock { $0 == nil } }

    /// Does the work.
    ///
    /// - Returns: whether there was any.
    func fire() -> Bool {
        guard let work = take() else { return false }
        work()
        return true
    }

    private func take() -> (@Sendable () -> Void)? {
        work.withLock { work in
            let taken = work
            work = nil
            return taken
        }
    }
}
