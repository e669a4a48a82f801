import MildamRelayAPI
import MildamStorage
import MildamSystem

/// A thread for what costs the processor and no disk.
typealias CheckQueue = WorkQueue<Void>

extension CheckQueue {
    /// Starts the thread. It stands back: the loop, and what is read and written, go on beside a check that takes long.
    convenience init(
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(RelayError) {
        try self.init(deliver: deliver) { Thread.standBack() }
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
