/// Hands values from any thread to one thread that waits for them.
final class BlockingQueue<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var isClosed = false
        /// Whether the taker waits; nobody is woken who is busy anyway.
        var isAwaited = false
    }

    private let monitor = Monitor(State())
    private let maximumCount: Int

    /// A queue that refuses more when `maximumCount` values wait.
    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Adds a value.
    ///
    /// - Returns: `false`, with the value not taken, when too many wait already or the queue is closed.
    func put(_ element: Element) -> Bool {
        monitor.withLock { state in
            guard !state.isClosed, state.waiting.count < maximumCount else { return false }
            state.waiting.append(element)
            if state.isAwaited { monitor.wake() }
            return true
        }
    }

    /// Waits for a value and takes all there are; `nil` when the queue is closed and empty.
    func takeAll() -> [Element]? {
        monitor.wait { state in
            state.isAwaited = state.waiting.isEmpty && !state.isClosed
            return !state.isAwaited
        } then: { state in
            if state.waiting.isEmpty { return nil }
            var taken: [Element] = []
            swap(&taken, &state.waiting)
            return taken
        }
    }

    /// Takes no more; what waits is still handed over.
    func close() {
        monitor.withLock { state in
            state.isClosed = true
            monitor.wake()
        }
    }
}
