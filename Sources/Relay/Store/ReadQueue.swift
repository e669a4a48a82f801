import MildamRelayAPI
import MildamStorage

/// A thread with a reader of its own: it sees what is committed, and may block on the disk.
final class ReadQueue: Sendable {
    private typealias Work = @Sendable (any RelayReads) -> Void

    private static let maximumWeight = 64 << 20
    private static let baseWeight = 512

    private let queue = BlockingQueue<Work>(maximumWeight: maximumWeight)
    private let thread: ServiceThread
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let log: RelayLog

    /// Starts the thread, which opens the reader; the store was prepared.
    init(
        _ store: any RelayStore,
        log: RelayLog,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(RelayError) {
        self.deliver = deliver
        self.log = log
        let queue = queue
        thread = try ServiceThread.opening { () throws(RelayError) -> any RelayReads in
            do throws(StorageError) {
                return try store.openReads()
            } catch {
                throw .storage(error)
            }
        } serve: { reader in
            while let batch = queue.takeAll() {
                for work in batch { work(reader) }
            }
        }
    }

    /// Leaves work that reads; `answer` is called where answers are delivered.
    func perform<Value: Sendable>(
        weight: Int = 0,
        _ body: @escaping @Sendable (any RelayReads) throws(StorageError) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        let isTaken = queue.put(
            { [deliver, log] reader in
                let result: Result<Value, APIError>
                do throws(StorageError) {
                    result = try body(reader)
                } catch {
                    log.error("read_failed", "cannot read: \(error)")
                    result = .failure(APIError(.internalError, "the relay could not read this"))
                }
                deliver { answer(result) }
            },
            weight: weight + Self.baseWeight
        )
        if !isTaken { answer(.failure(APIError(.unavailable, "too much is waiting to be read; try again"))) }
    }

    /// How much waits.
    var backlog: Int { queue.count }

    /// Finishes what waits and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
    }
}
