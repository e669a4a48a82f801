import MildamRelayAPI
import MildamStorage

/// An operation that waits to be performed, and whoever waits for it.
protocol WaitingOperation: Sendable {
    /// Whose turn it takes.
    var payer: Payer { get }

    /// The time that it takes, as far as one can tell before, in nanoseconds.
    var cost: Int { get }

    /// What it will surely ask for.
    var prefetch: [FactKey] { get }

    /// Performs it in the open batch, and returns what is to be done once that is on the disk. May be called again after
    /// the batch was undone.
    func run(on transactor: Transactor) throws(StorageError) -> @Sendable () -> Void

    /// It was not performed.
    func fail(_ error: APIError)
}

/// An operation with an answer.
struct Waiting<Operation: StoreOperation>: WaitingOperation {
    let operation: Operation
    let payer: Payer
    let answer: @Sendable (Result<Operation.Value, APIError>) -> Void

    /// What a row takes, and what a byte does: rows are looked for, bytes are copied and summed up.
    private static var rowCost: Int { 32_000 }
    private static var byteCost: Int { 2 }

    var cost: Int { operation.rows * Self.rowCost + operation.weight * Self.byteCost }

    var prefetch: [FactKey] { operation.prefetch }

    func run(on transactor: Transactor) throws(StorageError) -> @Sendable () -> Void {
        let result = try transactor.perform(operation)
        return { [answer] in answer(result) }
    }

    func fail(_ error: APIError) { answer(.failure(error)) }
}

/// A step of what is still to be deleted. What cannot be deleted is left until the next start.
struct RemainsStep: WaitingOperation {
    let remains: Remains
    let log: RelayLog

    var payer: Payer { .relay }
    var cost: Int { 0 }
    var prefetch: [FactKey] { [] }

    func run(on transactor: Transactor) throws(StorageError) -> @Sendable () -> Void {
        do throws(StorageError) {
            _ = try transactor.perform(DeleteRemains(remains: remains))
        } catch {
            transactor.giveUp(remains)
            log.error("not_deleted", "cannot delete what nobody can read any more: \(error)")
            throw error
        }
        return {}
    }

    func fail(_ error: APIError) {}
}
