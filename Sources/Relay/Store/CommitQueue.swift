import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import Synchronization

/// Group commit: one thread takes the operations that wait, runs them in one transaction, and lets their answers go once
/// that transaction is on the disk. Many senders so share one sync. Where more waits than a transaction should hold, it
/// takes them in turn by who pays for them.
final class CommitQueue: Sendable {
    /// Where answers and notices go, in the order of the operations.
    typealias Delivery = @Sendable (_ answers: [@Sendable () -> Void], _ notices: [LiveNotice]) -> Void

    /// What a transaction may cost, in nanoseconds: some 500 messages, or 8 MiB. Nobody waits longer for those of others
    /// than for one such transaction, and its sync.
    static let maximumCost = 16_000_000
    /// The longest that a transaction is held back for the senders of the one before, in nanoseconds: they come again
    /// at once, and each sync that they share is one that nobody waits for twice. Never longer than half of what the
    /// last transaction took, so that a fast disk is not kept waiting.
    private static let maximumPatience = 1_000_000
    /// The longest until another try to cut the log, in nanoseconds.
    private static let maximumPause = 1_000_000_000

    private let queue = TurnQueue<any WaitingOperation>()
    private let deliver: Delivery
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
    ///
    /// - Parameter disk: is told what was refused because there is no room.
    init(
        _ store: any RelayStore,
        quota: RelayQuota = RelayQuota(),
        metrics: RelayMetrics = RelayMetrics(),
        clock: WallClock,
        log: RelayLog,
        disk: DiskWatch? = nil,
        deliver: @escaping Delivery
    ) throws(RelayError) {
        self.deliver = deliver
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
                disk: disk,
                deliver: deliver
            )
            .serve(queue)
        }
    }

    /// Leaves an operation.
    ///
    /// - Parameters:
    ///   - turn: whose turn it takes. What nobody waits for before it is begun is dropped: who sends it again, does so under
    ///     the same id.
    ///   - answer: called where answers are delivered, once what the operation wrote is on the disk.
    func perform<Operation: StoreOperation>(
        _ operation: Operation,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<Operation.Value, APIError>) -> Void
    ) {
        let waiting = Waiting(operation: operation, payer: turn.payer, answer: answer)
        let outcome = queue.put(waiting, for: turn, weight: operation.weight, cost: waiting.cost)
        if !outcome.displaced.isEmpty {
            deliver(outcome.displaced.map { displaced in { displaced.fail(.tooMuchWaits) } }, [])
        }
        if !outcome.isTaken { answer(.failure(.tooMuchWaits)) }
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
        let disk: DiskWatch?
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
            disk: DiskWatch?,
            deliver: @escaping Delivery
        ) {
            self.health = health
            self.metrics = metrics
            self.transactor = transactor
            lane = transactor.lane
            self.clock = clock
            self.log = log
            self.disk = disk
            self.deliver = deliver
        }

        func serve(_ queue: TurnQueue<any WaitingOperation>) {
            var wanted = 1
            var patience = 0
            var lastCut = clock.milliseconds
            while true {
                // What was deleted is to leave the log, also where nobody comes any more.
                let limit = hasRemains ? 0 : lane.hasDeleted ? maximumPause : nil
                let taken = queue.take(upTo: maximumCost, gathering: wanted, for: patience, within: limit)
                guard let taken else { break }
                refuse(taken.abandoned, .abandoned)
                var batch = taken.jobs
                deleteRemains(with: &batch)
                if !batch.isEmpty {
                    // Half of them: the others come while these are stored, so that neither the disk nor the loop waits.
                    wanted = (batch.count + 1) / 2
                    let start = Monotonic.now()
                    commit(batch, queue)
                    metrics.operations.add(UInt64(batch.count))
                    metrics.commitTime.record(nanoseconds: Monotonic.now() - start)
                    lane.tidy()
                    patience = min(Int(clamping: (Monotonic.now() - start) / 2), maximumPatience)
                }
                if lane.hasDeleted, (queue.isEmpty && !hasRemains) || clock.milliseconds - lastCut > 1000 {
                    removeDeleted()
                    lastCut = clock.milliseconds
                }
            }
            // Nobody waits any more.
            removeDeleted(patience: nil)
            lane.close()
        }

        private var hasRemains: Bool { !hasFailed && !transactor.remains.isEmpty }

        /// Lets each batch take one step of what is to be deleted. What cannot be deleted is left until the next start.
        private func deleteRemains(with batch: inout [any WaitingOperation]) {
            guard !hasFailed, let next = transactor.remains.last else { return }
            batch.append(RemainsStep(remains: next, log: log))
        }

        private func commit(_ batch: [any WaitingOperation], _ queue: TurnQueue<any WaitingOperation>) {
            guard !hasFailed else {
                return refuse(batch, APIError(.internalError, "the relay's disk failed; it must be restarted"))
            }
            do throws(StorageError) {
                try transactor.begin(batch, at: clock.milliseconds)
                var answers: [@Sendable () -> Void] = []
                answers.reserveCapacity(batch.count)
                var start = Monotonic.now()
                for operation in batch {
                    answers.append(try operation.run(on: transactor))
                    let end = Monotonic.now()
                    // What took longer than it seemed is charged to whoever had it done.
                    let time = Int(clamping: end - start)
                    if time > TurnQueue<any WaitingOperation>.turn {
                        queue.charge(
                            time - max(operation.cost, TurnQueue<any WaitingOperation>.turn),
                            to: operation.payer
                        )
                    }
                    start = end
                }
                let notices = try transactor.commit()
                deliver(answers, notices)
            } catch {
                transactor.abort()
                recover(batch, from: error, queue)
            }
        }

        /// Nothing of the batch is stored. One operation may be to blame for what befell all of them.
        private func recover(
            _ batch: [any WaitingOperation],
            from error: StorageError,
            _ queue: TurnQueue<any WaitingOperation>
        ) {
            switch error {
            case .full where batch.count > 1:
                // What one of them needs may be all that is missing.
                for operation in batch { commit([operation], queue) }
            case .full:
                log.error("disk_full", "the disk is full", .number("refused", batch.count))
                disk?.noteRefusal()
                refuse(batch, APIError(.storageFull, "the relay's disk is full; nothing was stored"))
            case .io, .damaged:
                hasFailed = true
                log.error("disk_failed", "stopped storing: \(error)")
                refuse(batch, APIError(.internalError, "the relay's disk failed"))
            default:
                guard batch.count == 1 else {
                    for operation in batch { commit([operation], queue) }
                    return
                }
                log.error("operation_failed", "refused an operation: \(error)")
                refuse(batch, APIError(.internalError, "the relay could not store this"))
            }
        }

        private func refuse(_ batch: [any WaitingOperation], _ error: APIError) {
            guard !batch.isEmpty else { return }
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
