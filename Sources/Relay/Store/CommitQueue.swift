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

    private struct Operation: Sendable {
        /// Does it, and returns what is to be done once it is on the disk. May be run again after its changes were undone.
        let run: @Sendable (RelayWriter) throws(StorageError) -> @Sendable () -> Void
        let fail: @Sendable (APIError) -> Void
    }

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

    private let queue = BlockingQueue<Operation>(maximumWeight: maximumWeight)
    private let thread: ServiceThread
    private let checkpointer: Checkpointer
    private let health = Health()

    /// What others may know of the thread.
    private final class Health: Sendable {
        let hasFailed = Atomic<Bool>(false)
    }

    /// Whether anything can be stored: not once the disk has failed.
    var canStore: Bool { !health.hasFailed.load(ordering: .acquiring) }

    /// How many operations wait.
    var backlog: Int { queue.count }

    /// Starts the thread, which opens the database.
    init(
        path: String,
        synchronous: Database.Options.Synchronous = .full,
        quota: RelayQuota = RelayQuota(),
        metrics: RelayMetrics = RelayMetrics(),
        clock: WallClock,
        log: RelayLog,
        deliver: @escaping Delivery
    ) throws(RelayError) {
        let health = health
        let queue = queue
        let options = RelayWriter.options(synchronous: synchronous)
        let checkpointer = try Checkpointer(path: path, options: options, log: log)
        self.checkpointer = checkpointer
        do {
            thread = try ServiceThread.opening { () throws(StorageError) in
                try RelayWriter(path: path, options: options, quota: quota)
            } serve: { writer in
                Commits(
                    writer: writer,
                    checkpointer: checkpointer,
                    health: health,
                    metrics: metrics,
                    clock: clock,
                    log: log,
                    deliver: deliver
                )
                .serve(queue)
            }
        } catch {
            checkpointer.stop()
            throw error
        }
    }

    /// Leaves an operation.
    ///
    /// - Parameters:
    ///   - weight: how many bytes it holds.
    ///   - body: refuses before its first write, or writes.
    ///   - answer: called where answers are delivered, once what `body` wrote is on the disk.
    func perform<Value: Sendable>(
        weight: Int = 0,
        _ body: @escaping @Sendable (RelayWriter) throws(StorageError) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        let operation = Operation(
            run: { writer throws(StorageError) in
                let result = try body(writer)
                return { answer(result) }
            },
            fail: { answer(.failure($0)) }
        )
        if !queue.put(operation, weight: weight + Self.baseWeight) {
            answer(.failure(APIError(.unavailable, "too much is waiting to be stored; try again")))
        }
    }

    /// Finishes what waits and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
        checkpointer.stop()
    }

    /// What the thread does.
    private final class Commits {
        let writer: RelayWriter
        let checkpointer: Checkpointer
        var logLength = LogLength()
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
            writer: RelayWriter,
            checkpointer: Checkpointer,
            health: Health,
            metrics: RelayMetrics,
            clock: WallClock,
            log: RelayLog,
            deliver: @escaping Delivery
        ) {
            self.health = health
            self.metrics = metrics
            self.writer = writer
            self.checkpointer = checkpointer
            self.clock = clock
            self.log = log
            self.deliver = deliver
        }

        func serve(_ queue: BlockingQueue<Operation>) {
            var wanted = 1
            var patience = 0
            var lastCut = clock.milliseconds
            deleteRemains(through: queue)
            while true {
                // What was deleted is to leave the log, also where nobody comes any more.
                let limit = writer.hasDeleted ? maximumPause : nil
                guard let batch = queue.takeAll(gathering: wanted, for: patience, within: limit) else { break }
                if !batch.isEmpty {
                    // Half of them: the others come while these are stored, so that neither the disk nor the loop waits.
                    wanted = (batch.count + 1) / 2
                    let start = Monotonic.now()
                    commit(batch)
                    deleteRemains(through: queue)
                    metrics.operations.add(UInt64(batch.count))
                    metrics.commitTime.record(nanoseconds: Monotonic.now() - start)
                    keepLogShort()
                    patience = min(Int(clamping: (Monotonic.now() - start) / 2), maximumPatience)
                }
                if writer.hasDeleted, queue.isEmpty || clock.milliseconds - lastCut > 1000 {
                    cutLog()
                    lastCut = clock.milliseconds
                }
            }
            // Nobody waits any more.
            cutLog(patience: nil)
        }

        /// Lets one step of what is to be deleted wait with the operations. Each batch takes all that waits, so there
        /// is never more than one. What cannot be deleted is left until the next start.
        private func deleteRemains(through queue: BlockingQueue<Operation>) {
            guard !hasFailed, !writer.remains.isEmpty else { return }
            let step = Operation(
                run: { [log] writer throws(StorageError) in
                    do throws(StorageError) {
                        try writer.deleteRemains()
                    } catch {
                        writer.remains.removeLast()
                        log.error("not_deleted", "cannot delete what nobody can read any more: \(error)")
                        throw error
                    }
                    return {}
                },
                fail: { _ in }
            )
            _ = queue.put(step, weight: 0)
        }

        private func commit(_ batch: [Operation]) {
            guard !hasFailed else {
                return refuse(batch, APIError(.internalError, "the relay's disk failed; it must be restarted"))
            }
            do throws(StorageError) {
                writer.now = clock.milliseconds
                let answers = try writer.transaction { () throws(StorageError) in
                    var answers: [@Sendable () -> Void] = []
                    answers.reserveCapacity(batch.count)
                    for operation in batch { answers.append(try operation.run(writer)) }
                    return answers
                }
                deliver(answers, writer.takeNotices())
            } catch {
                writer.forget()
                recover(batch, from: error)
            }
        }

        /// Nothing of the batch is stored. One operation may be to blame for what befell all of them.
        private func recover(_ batch: [Operation], from error: StorageError) {
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

        private func refuse(_ batch: [Operation], _ error: APIError) {
            deliver(batch.map { operation in { operation.fail(error) } }, [])
        }

        private func keepLogShort() {
            let written = writer.database.takeWrittenPages()
            switch logLength.step(afterWriting: written, isMoving: checkpointer.isBusy) {
            case .nothing: break
            case .beside: checkpointer.begin()
            case .atOnce: Checkpointer.checkpoint(writer.database, log)
            }
        }

        /// - Parameter patience: how long to wait for readers, in milliseconds: senders do not wait for a slow one.
        private func cutLog(patience: Int32? = 20) {
            do throws(StorageError) {
                try writer.cutLog(patience: patience)
            } catch .busy {
                // The next turn tries again.
            } catch {
                log.error("log_not_cut", "cannot cut the write-ahead log: \(error)")
            }
        }
    }
}
