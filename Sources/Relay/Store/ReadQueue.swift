import MildamRelayAPI
import MildamStorage

/// A thread with a reader of its own: it sees what is committed, and may block on the disk. Whoever asks gets a turn, and
/// pays for the time that it takes.
final class ReadQueue: Sendable {
    /// Reads, or says why not.
    private typealias Work = @Sendable (Result<any RelayReads, APIError>) -> Void

    private let queue = TurnQueue<Work>()
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
            queue.serve { $0.job($0.isAbandoned ? .failure(.abandoned) : .success(reader)) }
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
        let work: Work = { [deliver, log] reader in
            let result: Result<Value, APIError>
            do throws(StorageError) {
                switch reader {
                case .success(let reader): result = try body(reader)
                case .failure(let error): result = .failure(error)
                }
            } catch {
                log.error("read_failed", "cannot read: \(error)")
                result = .failure(APIError(.internalError, "the relay could not read this"))
            }
            deliver { answer(result) }
        }
        let outcome = queue.put(work, for: turn, weight: weight)
        for displaced in outcome.displaced { displaced(.failure(.tooMuchWaits)) }
        if !outcome.isTaken { answer(.failure(.tooMuchWaits)) }
    }

    /// How much waits.
    var backlog: Int { queue.count }

    /// Finishes what waits and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
    }
}

extension APIError {
    /// What is said to those who have more that waits than they may, and to nobody else.
    static let tooMuchWaits = APIError(.unavailable, "too much of this account or network is waiting; try again")

    /// What is said where probably nobody hears it.
    static let abandoned = APIError(.unavailable, "the connection was finished before the request had its turn")
}
