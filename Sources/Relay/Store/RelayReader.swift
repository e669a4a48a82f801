import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What clients read: a read-only connection, which sees only what is committed.
final class RelayReader {
    let database: Database

    /// Opens a database that exists.
    init(path: String) throws(StorageError) {
        var options = Database.Options()
        options.readOnly = true
        database = try Database(path: path, schema: RelaySchema.current, options: options)
    }

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

    /// Whether the account is a member of the room, as a refusal when it is not.
    func checkMember(_ account: AccountID, of room: RoomID) throws(StorageError) -> Result<Void, APIError> {
        let isMember = try database.first(
            "SELECT 1 FROM members WHERE room = ? AND account = ?",
            room.column,
            account.column
        ) { _ in true }
        if isMember != nil { return .success(()) }
        let exists = try database.first("SELECT 1 FROM rooms WHERE room = ?", room.column) { _ in true }
        return .failure(exists == nil ? .unknownRoom : .notAMember)
    }
}
