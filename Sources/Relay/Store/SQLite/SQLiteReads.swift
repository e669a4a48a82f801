import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What clients read: a read-only connection, which sees only what is committed.
final class SQLiteReads: RelayReads {
    let database: Database

    /// Opens a database that exists.
    init(path: String) throws(StorageError) {
        var options = Database.Options()
        options.readOnly = true
        database = try Database(path: path, schema: RelaySchema.current, options: options)
    }

    /// A database in memory, which the one who writes reads between the batches.
    init(inMemory database: Database) { self.database = database }

    /// Runs `body` on one state of the database.
    func snapshot<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try database.execute("BEGIN")
        let result: Result<Value, StorageError>
        do throws(StorageError) {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        try database.execute("ROLLBACK")
        return try result.get()
    }

    /// The first number that the account, a member of the room, can read.
    func standing(of account: AccountID, in room: RoomID) throws(StorageError) -> Standing<UInt64> {
        let since: UInt64? = try database.first(
            "SELECT since FROM members WHERE room = ? AND account = ?",
            room.column,
            account.column
        ) { row throws(StorageError) in try row.count(0) }
        if let since { return .member(since) }
        let exists = try database.first("SELECT 1 FROM rooms WHERE room = ?", room.column) { _ in true }
        return exists == nil ? .noRoom : .stranger
    }
}
