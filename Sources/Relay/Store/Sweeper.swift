import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// Drops what has been kept for long enough: soon after the start, and then every hour, in small parts between the
/// operations of others. Lives on the loop.
final class Sweeper: Sendable {
    private static let firstPause = Duration.seconds(10)
    private static let pause = Duration.seconds(3600)

    private let retention: Retention
    private let commits: CommitQueue
    private let clock: WallClock
    private let loop: EventLoop

    init(_ retention: Retention, _ commits: CommitQueue, _ clock: WallClock, on loop: EventLoop) {
        self.retention = retention
        self.commits = commits
        self.clock = clock
        self.loop = loop
    }

    /// Begins; it goes on for as long as somebody keeps it.
    func start() {
        loop.execute { [weak self] in self?.schedule(after: Self.firstPause) }
    }

    /// Goes through everything once; `done` is called when nothing more is to be dropped now.
    func sweep(then done: @escaping @Sendable () -> Void) {
        let now = clock.milliseconds
        sweepBlobs(retention.cutoff(at: now), retention.unfinishedCutoff(at: now)) { [self] in
            guard let cutoff = retention.cutoff(at: now) else { return done() }
            sweepMessages(cutoff, after: [], then: done)
        }
    }

    private func schedule(after pause: Duration) {
        _ = loop.schedule(after: pause) { [weak self] in
            self?.sweep { [weak self] in self?.schedule(after: Self.pause) }
        }
    }

    private func sweepBlobs(_ whole: Int64?, _ unfinished: Int64, then done: @escaping @Sendable () -> Void) {
        commits.perform { writer throws(StorageError) in
            .success(try writer.dropBlobs(storedBefore: whole, unfinishedBefore: unfinished))
        } then: { [self] result in
            if case .success(true) = result { return sweepBlobs(whole, unfinished, then: done) }
            done()
        }
    }

    private func sweepMessages(_ cutoff: Int64, after room: [UInt8], then done: @escaping @Sendable () -> Void) {
        commits.perform { writer throws(StorageError) in
            .success(try writer.dropMessages(storedBefore: cutoff, after: room))
        } then: { [self] result in
            if case .success(let next?) = result { return sweepMessages(cutoff, after: next, then: done) }
            done()
        }
    }
}
