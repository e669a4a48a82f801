import MildamSystem

/// A task's wait for something that the loop brings about, once; cancelling the task ends it early.
final class Ticket<Value: Sendable>: Sendable {
    /// Undoes what was begun, on the loop. Called once, when the task is cancelled or the wait is over.
    typealias Release = @Sendable () -> Void
    typealias Outcome = Result<Value, TransportError>

    private enum State {
        case new
        case waiting(CheckedContinuation<Outcome, Never>, Release?)
        case over
    }

    private let state = Lock(State.new)
    private let loop: EventLoop

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Runs `begin` on the loop, and returns what it passes on.
    func wait(
        _ begin: @escaping @Sendable (_ done: @escaping @Sendable (Outcome) -> Void) -> Release
    ) async throws(TransportError) -> Value {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard case .new = state else { return true }
                    state = .waiting(continuation, nil)
                    return false
                }
                guard !isOver else { return continuation.resume(returning: Outcome.failure(.cancelled)) }
                loop.execute {
                    let release = begin { outcome in self.finish(outcome) }
                    self.keep(release)
                }
            }
        } onCancel: {
            finish(.failure(.cancelled))
        }
        return try outcome.get()
    }

    private func keep(_ release: @escaping Release) {
        let isOver = state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return true }
            state = .waiting(continuation, release)
            return false
        }
        if isOver { release() }
    }

    private func finish(_ outcome: Outcome) {
        let last = state.withLock { state in
            let last = state
            state = .over
            return last
        }
        guard case .waiting(let continuation, let release) = last else { return }
        if let release { loop.execute(release) }
        continuation.resume(returning: outcome)
    }
}
