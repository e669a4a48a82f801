import MildamSystem

/// One wait for the relay, of which the person is told where it takes longer than they expect.
final class RelayWait: Sendable {
    /// After how long the person is told.
    private static let patience = Duration.seconds(3)

    private enum State { case quiet, told, over }

    private let state = Lock(State.quiet)
    private let timer = Lock<Task<Void, Never>?>(nil)
    private let onWait: @Sendable (String?) -> Void

    private init(_ onWait: @escaping @Sendable (String?) -> Void) {
        self.onWait = onWait
    }

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - address: of the relay.
    ///   - onWait: told the address once the wait takes long, and then `nil` when it is over.
    static func begin(for address: String, telling onWait: @escaping @Sendable (String?) -> Void) -> RelayWait {
        let wait = RelayWait(onWait)
        let timer = Task {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            wait.tell(address)
        }
        wait.timer.withLock { $0 = timer }
        return wait
    }

    /// The relay has answered, or will not.
    func end() {
        timer.withLock { $0 }?.cancel()
        state.withLock { state in
            if state == .told { onWait(nil) }
            state = .over
        }
    }

    private func tell(_ address: String) {
        state.withLock { state in
            guard state == .quiet else { return }
            state = .told
            onWait(address)
        }
    }
}
