import MildamRelayAPI
import MildamStorage
import MildamSystem

/// A thread for what costs the processor and no disk: signatures. Whoever asks gets a turn, and pays for the time that it
/// takes.
final class CheckQueue: Sendable {
    /// Checks, or says why not.
    private typealias Check = @Sendable (_ refusal: APIError?) -> Void

    private let queue = TurnQueue<Check>()
    private let thread: ServiceThread
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Starts the thread.
    init(deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) throws(RelayError) {
        self.deliver = deliver
        let queue = queue
        do throws(SystemError) {
            thread = try ServiceThread { queue.serve { $0.job($0.isAbandoned ? .abandoned : nil) } }
        } catch {
            throw .system(error)
        }
    }

    /// Leaves something to be checked; `answer` is called where answers are delivered.
    ///
    /// - Parameters:
    ///   - turn: whose turn it takes. What nobody waits for by then is not checked.
    ///   - weight: the bytes that it holds.
    func perform<Value: Sendable>(
        for turn: Turn,
        weight: Int = 0,
        _ body: @escaping @Sendable () -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        let check: Check = { [deliver] refusal in
            let result = refusal.map(Result<Value, APIError>.failure) ?? body()
            deliver { answer(result) }
        }
        let outcome = queue.put(check, for: turn, weight: weight)
        for displaced in outcome.displaced { displaced(.tooMuchWaits) }
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

extension RelayParts {
    /// Reads what a check needs, leaves the check to those who do nothing else, and goes on where answers are delivered.
    ///
    /// - Parameters:
    ///   - turn: whose turns both take.
    ///   - weight: the bytes that they hold.
    func check<Row: Sendable, Value: Sendable>(
        for turn: Turn,
        weight: Int = 0,
        reading read: @escaping @Sendable (any RelayReads) throws(StorageError) -> Result<Row, APIError>,
        _ body: @escaping @Sendable (Row) -> Result<Value, APIError>,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        reads.perform(for: turn, weight: weight, read) { [checks] (row: Result<Row, APIError>) in
            switch row {
            case .success(let row): checks.perform(for: turn, weight: weight, { body(row) }, then: answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }
}
