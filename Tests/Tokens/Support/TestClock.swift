import MildamSystem
import MildamTokens

/// Clocks that a test sets. Waiting takes a millisecond, and lets the clocks go on by as much as was to be waited.
final class TestClock: Sendable {
    private let state = Lock(
        (wall: Int64(1_800_000_000_000), sinceBoot: Int64(5_000_000), boot: [UInt8](repeating: 1, count: 16))
    )

    /// Both clocks go on, as while the machine works or sleeps.
    func advance(_ duration: Duration) {
        let milliseconds = Int64(duration / .milliseconds(1))
        state.withLock { state in
            state.wall += milliseconds
            state.sinceBoot += milliseconds
        }
    }

    /// Somebody sets the wall clock.
    func jump(_ duration: Duration) { state.withLock { $0.wall += Int64(duration / .milliseconds(1)) } }

    /// The machine is started again: it was off for so long.
    func restart(after duration: Duration) {
        state.withLock { state in
            state.wall += Int64(duration / .milliseconds(1))
            state.sinceBoot = 20_000
            state.boot = state.boot.map { $0 &+ 1 }
        }
    }

    var wall: Int64 { state.withLock(\.wall) }

    /// As a program sees them that starts now.
    var clock: TokenClock {
        TokenClock(
            wall: WallClock { self.wall },
            sinceBoot: { self.state.withLock(\.sinceBoot) },
            boot: state.withLock(\.boot),
            sleep: { duration in
                self.advance(duration)
                try? await Task.sleep(for: .milliseconds(1))
            }
        )
    }
}
