import MildamIdentity
import MildamSystem
import MildamTransport

/// How far devices have read, until it is written down: some seconds later, many at once, so that what is acknowledged costs no
/// write of its own. What a relay that is killed had yet to write is acknowledged again, with what is read next.
final class GatheredCursors: Sendable {
    /// How many are kept; those of further devices and rooms wait until they say so again.
    static let maximum = 65_536
    /// How many are kept of one account: a thirty-second of all, so that nobody takes the place of everybody else's.
    static let maximumOfAccount = 2_048
    private static let pause = Duration.seconds(5)

    private struct State {
        var numbers: [CursorName: UInt64] = [:]
        /// How many of them are of each account.
        var counts: [AccountID: Int] = [:]
        var isScheduled = false
        /// Whoever is told of commits holds this.
        weak var commits: CommitQueue?
    }

    private let state = Lock(State())
    private let loop: EventLoop

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Writes them down by this queue from here on.
    func begin(_ commits: CommitQueue) { state.withLock { $0.commits = commits } }

    /// A device has a room's messages up to a number; from any thread.
    func add(_ number: UInt64, by name: CursorName) {
        let begins = state.withLock { state in
            if let known = state.numbers[name] {
                state.numbers[name] = max(number, known)
                return false
            }
            let count = state.counts[name.address.account] ?? 0
            guard state.numbers.count < Self.maximum, count < Self.maximumOfAccount else { return false }
            state.numbers[name] = number
            state.counts[name.address.account] = count + 1
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard begins else { return }
        loop.execute { [weak self, loop] in
            _ = loop.schedule(after: Self.pause) { [weak self] in self?.write() }
        }
    }

    /// Leaves what was gathered to be written, and then calls `done` where answers are delivered.
    func write(then done: @escaping @Sendable () -> Void = {}) {
        let (numbers, commits) = state.withLock { state in
            defer {
                state.numbers = [:]
                state.counts = [:]
                state.isScheduled = false
            }
            return (state.numbers, state.commits)
        }
        guard let commits else { return done() }
        var rest = Array(numbers)[...]
        guard !rest.isEmpty else { return done() }
        while !rest.isEmpty {
            let part = rest.prefix(NoteCursors.cursorsAtOnce).map { ($0.key, $0.value) }
            rest = rest.dropFirst(NoteCursors.cursorsAtOnce)
            let isLast = rest.isEmpty
            commits.perform(NoteCursors(cursors: Dictionary(part) { first, _ in first }), for: .relay) { _ in
                if isLast { done() }
            }
        }
    }
}
