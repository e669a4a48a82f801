import MildamRelayAPI
import MildamSystem

/// What is known of the disk under the data folder: how much room it has, looked at away from the loop, and whether
/// something was just refused for want of room.
final class DiskWatch: Sendable {
    /// The disk is full with less: as much as a piece of a file takes at most.
    static let leastBytes = 1 << 20
    /// How long a look is good for, in nanoseconds.
    private static let freshness: UInt64 = 1_000_000_000
    /// How long a refusal counts, in nanoseconds. That something is stored meanwhile says little: what is small may find
    /// room where nothing else does.
    private static let memory: UInt64 = 10_000_000_000

    private struct State {
        /// What was seen last; `nil` where the folder could not be looked at.
        var room: DiskRoom?
        var lookedAt: UInt64?
        var refusedAt: UInt64?
        var waiting: [@Sendable () -> Void] = []
    }

    private let folder: String
    private let reads: ReadQueue
    private let now: @Sendable () -> UInt64
    private let state = Lock(State())

    /// - Parameters:
    ///   - folder: the data folder.
    ///   - reads: whose thread looks, since a disk may take its time.
    ///   - now: nanoseconds of a clock that never goes back.
    init(_ folder: String, _ reads: ReadQueue, now: @escaping @Sendable () -> UInt64) {
        self.folder = folder
        self.reads = reads
        self.now = now
    }

    /// Something was not stored, because the disk is full.
    func noteRefusal() {
        let time = now()
        state.withLock { $0.refusedAt = time }
    }

    /// Whether the disk is full, as far as was seen.
    var isFull: Bool {
        let time = now()
        return state.withLock { state in
            if let refused = state.refusedAt, time < refused + Self.memory { return true }
            guard let room = state.room else { return false }
            return room.freeBytes < Self.leastBytes || room.freeFiles == 0
        }
    }

    /// Looks, unless somebody did within the last second, and goes on where answers are delivered.
    func look(then next: @escaping @Sendable () -> Void) {
        let time = now()
        let (isFresh, isFirst) = state.withLock { state in
            if let last = state.lookedAt, time < last + Self.freshness { return (true, false) }
            state.waiting.append(next)
            return (false, state.waiting.count == 1)
        }
        if isFresh { return next() }
        if isFirst { begin() }
    }

    private func begin() {
        reads.perform(for: .relay) { [folder] _ in
            .success(try? DiskRoom(at: folder))
        } then: { [self] (looked: Result<DiskRoom?, APIError>) in
            let time = now()
            let waiting = state.withLock { state in
                // Where too much waits to be read, what was seen last has to do.
                if case .success(let room) = looked { (state.room, state.lookedAt) = (room, time) }
                defer { state.waiting = [] }
                return state.waiting
            }
            for next in waiting { next() }
        }
    }
}
