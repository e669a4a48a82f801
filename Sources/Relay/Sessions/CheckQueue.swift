import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// A thread for what costs the processor and no disk: the signatures of those who have yet to show who they are. Addresses
/// take turns, so that whoever sends a thousand makes nobody else wait for more than one of them.
final class CheckQueue: Sendable {
    private struct Check: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    /// How many may wait in all.
    static let limit = 4096
    /// How many of one address, unless addresses have no limits.
    static let share = 256

    private let queue: FairQueue<UInt64, Check>
    private let thread: ServiceThread
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Starts the thread.
    ///
    /// - Parameter share: how many of one address may wait.
    init(
        share: Int = CheckQueue.share,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(RelayError) {
        self.deliver = deliver
        let queue = FairQueue<UInt64, Check>(limit: Self.limit, share: share)
        self.queue = queue
        do throws(SystemError) {
            thread = try ServiceThread { while let check = queue.take() { check.run() } }
        } catch {
            throw .system(error)
        }
    }

    /// Leaves something to be checked; `answer` is called where answers are delivered, which is where this is called.
    ///
    /// - Parameter neighbour: whose turn it takes (`Gate.neighbour(of:)`).
    func perform<Value: Sendable>(
        from neighbour: UInt64,
        _ body: @escaping @Sendable () -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        let check = Check { [deliver] in
            let result = body()
            deliver { answer(result) }
        } refuse: {
            answer(.failure(APIError(.unavailable, "too much is waiting to be checked; try again")))
        }
        switch queue.put(check, of: neighbour) {
        case .taken(_, let displaced): displaced?.refuse()
        case .refused: check.refuse()
        }
    }

    /// How much waits.
    var backlog: Int { queue.count }

    /// Finishes what waits and ends the thread. Called once.
    func stop() {
        queue.close()
        thread.join()
    }
}

extension RelayParts {
    /// Reads what a check needs, leaves the check to those who do nothing else, and goes on where answers are delivered.
    ///
    /// - Parameter neighbour: whose turn it takes.
    func check<Row: Sendable, Value: Sendable>(
        from neighbour: UInt64,
        reading read: @escaping @Sendable (any RelayReads) throws(StorageError) -> Result<Row, APIError>,
        _ body: @escaping @Sendable (Row) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        reads.perform(read) { [checks] (row: Result<Row, APIError>) in
            switch row {
            case .success(let row): checks.perform(from: neighbour, { body(row) }, then: answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }
}
