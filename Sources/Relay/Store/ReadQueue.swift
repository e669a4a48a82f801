import MildamRelayAPI
import MildamStorage

/// Threads with a reader of their own: they see what is committed, and may block on the disk.
final class ReadQueue: Sendable {
    private let queue: WorkQueue<any RelayReads>
    private let log: RelayLog

    /// Starts the threads, each of which opens a reader; the store was prepared.
    init(
        _ store: any RelayStore,
        threads: Int = 1,
        log: RelayLog,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(RelayError) {
        self.log = log
        queue = try WorkQueue(threads: threads, deliver: deliver) { () throws(RelayError) in
            do throws(StorageError) {
                return try store.openReads()
            } catch {
                throw .storage(error)
            }
        }
    }

    /// Leaves work that reads; `answer` is called where answers are delivered.
    ///
    /// - Parameters:
    ///   - turn: whose turn it takes. What nobody waits for by then is not read.
    ///   - weight: the bytes that it holds.
    func perform<Value: Sendable>(
        for turn: Turn,
        weight: Int = 0,
        _ body: @escaping @Sendable (any RelayReads) throws(StorageError) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        queue.perform(for: turn, weight: weight) { [log] reader in
            do throws(StorageError) {
                return try body(reader)
            } catch {
                log.error("read_failed", "cannot read: \(error)")
                return .failure(APIError(.internalError, "the relay could not read this"))
            }
        } then: {
            answer($0)
        }
    }

    /// How much waits.
    var backlog: Int { queue.backlog }

    /// Finishes what waits and ends the threads. Called once.
    func stop() {
        queue.stop()
    }
}
