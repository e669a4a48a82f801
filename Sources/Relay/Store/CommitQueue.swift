import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import Synchronization

/// Group commit: one thread takes every operation that waits, runs them in one transaction, and lets their answers go
/// once that transaction is on the disk. Many senders so share one sync.
final class CommitQueue: Sendable {
    /// Where answers and notices go, in the order of the operations.
    typealias Delivery = @Sendable (_ answers: [@Sendable () -> Void], _ notices: [LiveNotice]) -> Void

    /// How much may wait before operations are refused: bytes of requests.
    private static let maximumWeight = 64 << 20
    /// What an operation weighs beside its content.
    private static let baseWeight = 512
    /// The longest that a transaction is held back for the senders of the one before, in nanoseconds: they come again
    /// at once, and each sync that they share is one that nobody waits for twice. Never longer than half of what the
    /// last transaction took, so that a fast disk is not kept waiting.
    private static let maximumPatience = 1_000_000
    /// The longest until another try to cut the log, in nanoseconds.
    private static let maximumPause = 1_000_000_000

    private let queue = BlockingQueue<any WaitingOperation>(maximumWeight: maximumWeight)
    private let thread: ServiceThread
    private let health = Health()

    /// What others may know of the thread.
    private final class Health: Sendable {
        let hasFailed = Atomic<Bool>(false)
    }

    /// Whether anything can be stored: not once the disk has failed.
    var canStore: Bool { !health.hasFailed.load(ordering: .acquiring) }

    /// How many operations wait.
    var backlog: Int { queue.count }

    /// Starts the thread, which opens the store's lane.
    init(
        _ store: any RelayStore,
        quota: RelayQuota = RelayQuota(),
        metrics: RelayMetrics = RelayMetrics(),
        clock: WallClock,
        log: RelayLog,
        deliver: @escaping Delivery
    ) throws(RelayError) {
        let health = health
        let queue = queue
        thread = try ServiceThread.opening { () throws(RelayError) in
            try Transactor(store, quota: quota)
        } serve: { transactor in
            Commits(
                transactor: transactor,
                health: health,
                metrics: metrics,
                clock: clock,
                log: log,
                deliver: deliver
            )
            .serve(queue)
        }
    }

    /// Leaves an operation.
    ///
    /// - Parameter answer: called where answers are delivered, once what the operation wrote is on the disk.
    func perform<Operation: StoreOperation>(
        _ operation: Operation,
        then answer: @escaping @Sendable (Result<Operation.Value, APIError>) -> Void
    ) {
        let waiting = Waiting(operation: operation, answer: answer)
        if !queue.put(waiting, weight: operation.weight + Self.baseWeight) {
            answer(.failure(APIError(.unavailable, "too much is waiting to be stored; try again")))
        }
    }

    /// Finishes what waits and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
    }

    /// What the thread does.
    private final class Commits {
        let transactor: Transactor
        let lane: any CommitLane
        let health: Health
        let metrics: RelayMetrics
        let clock: WallClock
        let log: RelayLog
        let deliver: Delivery
        /// After an error of the disk nobody can say what a later sync covers: nothing more is acknowledged.
        var hasFailed = false {
            didSet { health.hasFailed.store(hasFailed, ordering: .releasing) }
        }

        init(
            transactor: Transactor,
            health: Health,
            metrics: RelayMetrics,
            clock: WallClock,
            log: RelayLog,
            deliver: @escaping Delivery
        ) {
            self.health = health
            self.metrics = metrics
            self.transactor = transactor
            lane = transactor.lane
            self.clock = clock
            self.log = log
            self.deliver = deliver
        }

        func serve(_ queue: BlockingQueue<any WaitingOperation>) {
            var wanted = 1
            var patience = 0
            var lastCut = clock.milliseconds
            deleteRemains(through: queue)
            while true {
                // What was deleted is to leave the log, also where nobody comes any more.
                let limit = lane.hasDeleted ? maximumPause : nil
                guard let batch = queue.takeAll(gathering: wanted, for: patience, within: limit) else { break }
                if !batch.isEmpty {
                    // Half of them: the others come while these are stored, so that neither the disk nor the loop waits.
                    wanted = (batch.count + 1) / 2
                    let start = Monotonic.now()
                    commit(batch)
                    deleteRemains(through: queue)
                    metrics.operations.add(UInt64(batch.count))
                    metrics.commitTime.record(nanoseconds: Monotonic.now() - start)
                    lane.tidy()
                    patience = min(Int(clamping: (Monotonic.now() - start) / 2), maximumPatience)
                }
                if lane.hasDeleted, queue.isEmpty || clock.milliseconds - lastCut > 1000 {
                    removeDeleted()
                    lastCut = clock.milliseconds
                }
            }
            // Nobody waits any more.
            removeDeleted(patience: nil)
            lane.close()
        }

        /// Lets one step of what is to be deleted wait with the operations. Each batch takes all that waits, so there
        /// is never more than one. What cannot be deleted is left until the next start.
        private func deleteRemains(through queue: BlockingQueue<any WaitingOperation>) {
            guard !hasFailed, let next = transactor.remains.last else { return }
            _ = queue.put(RemainsStep(remains: next, log: log), weight: 0)
        }

        private func commit(_ batch: [any WaitingOperation]) {
            guard !hasFailed else {
                return refuse(batch, APIError(.internalError, "the relay's disk failed; it must be restarted"))
            }
            do throws(StorageError) {
                try transactor.begin(batch, at: clock.milliseconds)
                var answers: [@Sendable () -> Void] = []
                answers.reserveCapacity(batch.count)
                for operation in batch { answers.append(try operation.run(on: transactor)) }
                let notices = try transactor.commit()
                deliver(answers, notices)
            } catch {
                transactor.abort()
                recover(batch, from: error)
            }
        }

        /// Nothing of the batch is stored. One operation may be to blame for what befell all of them.
        private func recover(_ batch: [any WaitingOperation], from error: StorageError) {
            switch error {
            case .full where batch.count > 1:
                // What one of them needs may be all that is missing.
                for operation in batch { commit([operation]) }
            case .full:
                log.error("disk_full", "the disk is full", .number("refused", batch.count))
                refuse(batch, APIError(.storageFull, "the relay's disk is full; nothing was stored"))
            case .io, .damaged:
                hasFailed = true
                log.error("disk_failed", "stopped storing: \(error)")
                refuse(batch, APIError(.internalError, "the relay's disk failed"))
            default:
                guard batch.count == 1 else {
                    for operation in batch { commit([operation]) }
                    return
                }
                log.error("operation_failed", "refused an operation: \(error)")
                refuse(batch, APIError(.internalError, "the relay could not store this"))
            }
        }

        private func refuse(_ batch: [any WaitingOperation], _ error: APIError) {
            deliver(batch.map { operation in { operation.fail(error) } }, [])
        }

        /// - Parameter patience: how long to wait for readers, in milliseconds: senders do not wait for a slow one.
        private func removeDeleted(patience: Int32? = 20) {
            do throws(StorageError) {
                try lane.removeDeleted(patience: patience)
            } catch .busy {
                // The next turn tries again.
            } catch {
                log.error("log_not_cut", "cannot cut the write-ahead log: \(error)")
            }
        }
    }
}
