import CSQLite
import MildamSystem

/// An SQLite database of one owner, which keeps it inside an actor or on one thread.
///
/// A change is on the disk when its transaction has returned: write-ahead log, synced at each commit. What is
/// deleted is overwritten in the file (`secure_delete`); `truncateWAL()` then removes it from the log as well.
public final class Database {
    /// The file.
    public let path: String
    let connection: Connection
    /// How long it waits for another connection, in milliseconds.
    let busyTimeout: Int32
    private var statements: [UInt: Statement] = [:]
    let schema: Schema

    /// Opens the database, or creates it, and brings its tables to the schema's version.
    ///
    /// A new file has permissions 0600, and appears under its name only when its tables are there and synced.
    ///
    /// - Throws: `.notOurs`, `.newerVersion` or `.damaged` for a file that is not what the schema says.
    public init(path: String, schema: Schema, options: Options = Options()) throws(StorageError) {
        self.path = path
        self.schema = schema
        busyTimeout = options.busyTimeout
        if !options.readOnly { try schema.ensureFile(path) }
        connection = try Connection(
            path: path,
            flags: options.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        )
        let found: Int
        do throws(StorageError) {
            try options.apply(to: connection)
            found = try schema.verify(self)
        } catch .misuse(let reason) {
            // These statements are sound: what SQLite does not understand is the file.
            connection.leaveLogAlone()
            throw .damaged(path: path, reason: reason)
        }
        guard !options.readOnly else { return }
        try options.applyForWriting(to: connection)
        if found < schema.version {
            try transaction { () throws(StorageError) in try schema.migrate(self) }
        }
    }

    /// A database that is open, of which nothing has been looked at.
    init(_ connection: Connection, schema: Schema) {
        path = connection.path
        self.schema = schema
        busyTimeout = 0
        self.connection = connection
    }

    /// A database in memory, for a schema's own tables.
    convenience init(inMemory name: String) throws(StorageError) {
        self.init(try Connection(inMemory: name), schema: Schema(applicationID: 0, migrations: []))
    }

    // MARK: Statements

    /// Compiles a statement for its holder to run many times.
    public func prepare(_ sql: StaticString) throws(StorageError) -> Statement {
        try Statement(sql, on: connection)
    }

    /// The statement for a literal, compiled at its first use.
    ///
    /// One whose rows are being read is not given out again; the caller gets another.
    @usableFromInline
    func statement(_ sql: StaticString) throws(StorageError) -> Statement {
        guard sql.hasPointerRepresentation else { throw .misuse("no statement") }
        let key = unsafe UInt(bitPattern: sql.utf8Start)
        if let known = statements[key] {
            return known.isRunning ? try prepare(sql) : known
        }
        let new = try prepare(sql)
        statements[key] = new
        return new
    }

    /// Runs a statement that gives no rows.
    @inlinable
    public func execute<each Value: ColumnValue>(
        _ sql: StaticString,
        _ values: repeat each Value
    ) throws(StorageError) {
        try statement(sql).run(repeat each values)
    }

    /// What `body` makes of the first row; `nil` when there is none.
    @inlinable
    public func first<Result, each Value: ColumnValue>(
        _ sql: StaticString,
        _ values: repeat each Value,
        row body: (borrowing Row) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        let statement = try statement(sql)
        try statement.bind(all: repeat each values)
        return try statement.first(body)
    }

    /// What `body` makes of each row.
    @inlinable
    public func rows<Result, each Value: ColumnValue>(
        _ sql: StaticString,
        _ values: repeat each Value,
        row body: (borrowing Row) throws(StorageError) -> Result
    ) throws(StorageError) -> [Result] {
        let statement = try statement(sql)
        try statement.bind(all: repeat each values)
        return try statement.rows(body)
    }

    /// Hands over each row until `body` returns false.
    @inlinable
    public func forEach<each Value: ColumnValue>(
        _ sql: StaticString,
        _ values: repeat each Value,
        while body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let statement = try statement(sql)
        try statement.bind(all: repeat each values)
        try statement.forEach(while: body)
    }

    /// How many rows the last `INSERT`, `UPDATE` or `DELETE` changed.
    public var changes: Int { Int(unsafe sqlite3_changes64(connection.handle)) }
}
