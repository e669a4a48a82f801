extension Database {
    /// Runs `body` in a transaction that holds the right to write from its start; synced when this returns.
    ///
    /// - Throws: what `body` throws, after every change was undone; `.misuse` inside another transaction.
    public func transaction<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try beginTransaction()
        return try conclude("COMMIT", orUndo: ["ROLLBACK"]) { () throws(StorageError) in (try body(), keep: true) }
    }

    /// Runs `body`, to which nothing changes meanwhile: what it reads is of one moment. Others may go on writing.
    ///
    /// - Throws: what `body` throws.
    public func snapshot<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        if connection.isInTransaction { return try body() }
        try execute("BEGIN")
        return try conclude("COMMIT", orUndo: ["ROLLBACK"]) { () throws(StorageError) in (try body(), keep: true) }
    }

    /// Runs `body` in a transaction that is undone when `body` returns a failure.
    ///
    /// So a refusal by the program's own rules stays a typed value, apart from a failure of the storage.
    public func transactionUnlessRefused<Value, Refusal>(
        _ body: () throws(StorageError) -> Result<Value, Refusal>
    ) throws(StorageError) -> Result<Value, Refusal> {
        try beginTransaction()
        return try conclude("COMMIT", orUndo: ["ROLLBACK"]) { () throws(StorageError) in try Self.verdict(body()) }
    }

    /// Runs `body` in a part of the open transaction that can be undone alone. Savepoints may be nested.
    ///
    /// - Throws: what `body` throws, after the changes of this part were undone; `.misuse` outside a transaction.
    public func savepoint<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try beginSavepoint()
        return try conclude("RELEASE part", orUndo: ["ROLLBACK TO part", "RELEASE part"]) {
            () throws(StorageError) in (try body(), keep: true)
        }
    }

    /// Runs `body` in a part of the open transaction that is undone when `body` returns a failure.
    public func savepointUnlessRefused<Value, Refusal>(
        _ body: () throws(StorageError) -> Result<Value, Refusal>
    ) throws(StorageError) -> Result<Value, Refusal> {
        try beginSavepoint()
        return try conclude("RELEASE part", orUndo: ["ROLLBACK TO part", "RELEASE part"]) {
            () throws(StorageError) in try Self.verdict(body())
        }
    }

    private func beginTransaction() throws(StorageError) {
        guard !connection.isInTransaction else { throw .misuse("a transaction inside a transaction") }
        try execute("BEGIN IMMEDIATE")
    }

    private func beginSavepoint() throws(StorageError) {
        guard connection.isInTransaction else { throw .misuse("a savepoint outside a transaction") }
        try execute("SAVEPOINT part")
    }

    private static func verdict<Value, Refusal>(
        _ result: Result<Value, Refusal>
    ) -> (Result<Value, Refusal>, keep: Bool) {
        if case .success = result { (result, keep: true) } else { (result, keep: false) }
    }

    /// Runs `body` and keeps its changes, or undoes them when it says so or throws.
    private func conclude<Value>(
        _ keep: StaticString,
        orUndo undo: [StaticString],
        _ body: () throws(StorageError) -> (Value, keep: Bool)
    ) throws(StorageError) -> Value {
        do throws(StorageError) {
            let (value, isKept) = try body()
            // SQLite undoes the whole transaction by itself after some failures, such as a full disk.
            guard connection.isInTransaction else { throw .misuse("a failure that undid the transaction was ignored") }
            if isKept {
                try execute(keep)
            } else {
                for statement in undo { try execute(statement) }
            }
            return value
        } catch {
            // The first failure is the one to report. Where undoing fails too, the transaction stays open, and
            // the next one is refused.
            for statement in undo where connection.isInTransaction { try? execute(statement) }
            throw error
        }
    }
}
