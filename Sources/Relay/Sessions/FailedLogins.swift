import MildamIdentity
import MildamSystem
import MildamTransport

/// Logins that failed, by account, until they are written to the accounts' logs: some seconds later, many at once, so that
/// whoever guesses costs the disk nothing, and learns nothing from how long the answer takes. What a relay that is killed
/// had yet to write is lost.
final class FailedLogins: Sendable {
    /// How many accounts are kept; failures of further ones are not counted.
    static let maximum = 4096
    private static let pause = Duration.seconds(10)

    private struct State {
        var counts: [AccountID: Int] = [:]
        var isScheduled = false
    }

    private let state = Lock(State())
    private let commits: CommitQueue
    private let loop: EventLoop

    init(_ commits: CommitQueue, on loop: EventLoop) {
        self.commits = commits
        self.loop = loop
    }

    /// One more; from any thread.
    func add(_ account: AccountID) {
        let begins = state.withLock { state in
            if state.counts.count < Self.maximum || state.counts[account] != nil {
                state.counts[account, default: 0] += 1
            }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard begins else { return }
        loop.execute { [weak self, loop] in
            _ = loop.schedule(after: Self.pause) { [weak self] in self?.write() }
        }
    }

    /// Leaves what was counted to be written, and then calls `done` where answers are delivered.
    func write(then done: @escaping @Sendable () -> Void = {}) {
        let counts = state.withLock { state in
            defer { state = State() }
            return state.counts
        }
        guard !counts.isEmpty else { return done() }
        commits.perform(NoteFailedLogins(counts: counts), for: .relay) { _ in
            done()
        }
    }
}
