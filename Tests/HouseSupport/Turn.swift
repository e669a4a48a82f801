import Foundation
import MildamSystem

/// The right to run programs: at most as many tests at once as there are processors, so that each gets its time.
///
/// Given back when it is let go.
package final class Turn: Sendable {
    private struct State {
        var free = max(2, ProcessInfo.processInfo.activeProcessorCount)
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Lock(State())

    private init() {}

    /// Waits for a turn.
    package static func take() async -> Turn {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        return Turn()
    }

    deinit {
        let next = Turn.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
