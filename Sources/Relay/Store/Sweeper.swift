import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// Drops what has been kept for long enough: soon after the start, and then every hour, in small parts between the
/// operations of others. Lives on the loop.
final class Sweeper: Sendable {
    private static let firstPause = Duration.seconds(10)
    private static let pause = Duration.seconds(3600)
    /// Until the next try when the relay was too busy for this one.
    private static let shortPause = Duration.seconds(60)

    private let retention: Retention
    private let commits: CommitQueue
    private let groups: GroupService
    private let clock: WallClock
    private let loop: EventLoop

    init(
        _ retention: Retention,
        _ commits: CommitQueue,
        _ groups: GroupService,
        _ clock: WallClock,
        on loop: EventLoop
    ) {
        self.retention = retention
        self.commits = commits
        self.groups = groups
        self.clock = clock
        self.loop = loop
    }

    /// Begins; it goes on for as long as somebody keeps it.
    func start() {
        loop.execute { [weak self] in self?.schedule(after: Self.firstPause) }
    }

    /// Goes through everything once.
    ///
    /// - Parameter done: is told whether all that is to be dropped now was.
    func sweep(then done: @escaping @Sendable (_ isComplete: Bool) -> Void) {
        let now = clock.milliseconds
        let unfinished = retention.unfinishedCutoff(at: now)
        repeating(DropUnfinishedBlobs(cutoff: unfinished)) { [self] isComplete in
            guard isComplete else { return done(false) }
            repeating(DropClaims(cutoff: now - DropClaims.lifetime)) { [self] isComplete in
                guard isComplete, let cutoff = retention.cutoff(at: now), let last = retention.lastCutoff(at: now)
                else {
                    return done(isComplete)
                }
                repeating(DropBlobs(cutoff: cutoff)) { [self] isComplete in
                    guard isComplete else { return done(false) }
                    sweepMessages(cutoff, last, after: []) { [self] isComplete in
                        guard isComplete else { return done(false) }
                        sweepQuietGroups(cutoff, last, after: [], hasFound: false, then: done)
                    }
                }
            }
        }
    }

    private func schedule(after pause: Duration) {
        _ = loop.schedule(after: pause) { [weak self] in
            self?.sweep { [weak self] isComplete in
                self?.schedule(after: isComplete ? Self.pause : Self.shortPause)
            }
        }
    }

    /// Takes one step after the other, for as long as each says that there is more.
    private func repeating(
        _ step: some StoreOperation<Bool>,
        then done: @escaping @Sendable (_ isComplete: Bool) -> Void
    ) {
        commits.perform(step, for: .relay) { [self] result in
            switch result {
            case .success(true): repeating(step, then: done)
            case .success(false): done(true)
            case .failure: done(false)
            }
        }
    }

    private func sweepMessages(
        _ cutoff: Int64,
        _ last: Int64,
        after room: [UInt8],
        then done: @escaping @Sendable (_ isComplete: Bool) -> Void
    ) {
        commits.perform(DropMessages(cutoff: cutoff, last: last, start: room), for: .relay) { [self] result in
            switch result {
            case .success(let next?): sweepMessages(cutoff, last, after: next, then: done)
            case .success(nil): done(true)
            case .failure: done(false)
            }
        }
    }

    /// Where nothing happens, the last snapshot would keep all that came after it: another one is made, and that goes, too.
    private func sweepQuietGroups(
        _ cutoff: Int64,
        _ last: Int64,
        after room: [UInt8],
        hasFound: Bool,
        then done: @escaping @Sendable (_ isComplete: Bool) -> Void
    ) {
        commits.perform(FindHeldGroups(cutoff: cutoff, start: room), for: .relay) { [self] result in
            guard case .success(let found) = result else { return done(false) }
            putSnapshots(found.rooms) { [self] isComplete in
                guard isComplete else { return done(false) }
                let hasFound = hasFound || !found.rooms.isEmpty
                if let next = found.next {
                    return sweepQuietGroups(cutoff, last, after: next, hasFound: hasFound, then: done)
                }
                guard hasFound else { return done(true) }
                sweepMessages(cutoff, last, after: [], then: done)
            }
        }
    }

    private func putSnapshots(
        _ rooms: [(room: RoomID, member: AccountID)],
        then done: @escaping @Sendable (_ isComplete: Bool) -> Void
    ) {
        guard let first = rooms.first else { return done(true) }
        let rest = Array(rooms.dropFirst())
        groups.quietSnapshot(of: first.room, for: first.member) { [self] result in
            // A group that cannot be followed keeps what it has, and no other group's from going.
            guard case .success(let snapshot?) = result else { return putSnapshots(rest, then: done) }
            commits.perform(PutSnapshot(room: first.room, snapshot: snapshot), for: .relay) { [self] result in
                guard case .success = result else { return done(false) }
                putSnapshots(rest, then: done)
            }
        }
    }
}
