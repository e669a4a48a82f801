import CSQLite
import FoundationEssentials

/// The row a statement stands on; columns are counted from 0.
///
/// Nothing is converted: a column of another type than the one asked for throws `.damaged`, as does text that is
/// not UTF-8.
@safe
public struct Row: ~Copyable {
    private let statement: OpaquePointer
    private let connection: Connection
    private let columns: Int

    init(_ statement: Statement, _ connection: Connection) {
        unsafe self.statement = unsafe statement.handle
        self.connection = connection
        columns = Int(unsafe sqlite3_column_count(statement.handle))
    }

    /// Whether the column has no value.
    public func isNull(_ column: Int) throws(StorageError) -> Bool {
        try type(column) == SQLITE_NULL
    }

    /// An `INTEGER`.
    public func int64(_ column: Int) throws(StorageError) -> Int64 {
        try expect(SQLITE_INTEGER, column)
        return unsafe sqlite3_column_int64(statement, Int32(column))
    }

    /// An `INTEGER`.
    public func int(_ column: Int) throws(StorageError) -> Int {
        Int(try int64(column))
    }

    /// A `TEXT`.
    public func text(_ column: Int) throws(StorageError) -> String {
        try expect(SQLITE_TEXT, column)
        // The text first, then its length: the other order is undefined where SQLite has to convert.
        let start = unsafe sqlite3_column_text(statement, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(statement, Int32(column)))
        let bytes = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw .damaged(path: connection.path, reason: "column \(name(column)) holds text that is not UTF-8")
        }
        return text
    }

    /// A `BLOB`, copied.
    public func bytes(_ column: Int) throws(StorageError) -> [UInt8] {
        try withBytes(column) { span throws(StorageError) in
            unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) }
        }
    }

    /// A `BLOB`, copied.
    public func data(_ column: Int) throws(StorageError) -> Data {
        try withBytes(column) { span throws(StorageError) in
            unsafe span.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
        }
    }

    /// A `BLOB`, lent to `body` without a copy.
    public func withBytes<Result>(
        _ column: Int,
        _ body: (Span<UInt8>) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try expect(SQLITE_BLOB, column)
        let start = unsafe sqlite3_column_blob(statement, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(statement, Int32(column)))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return try unsafe body(Span<UInt8>(_unsafeBytes: buffer))
    }

    private func type(_ column: Int) throws(StorageError) -> Int32 {
        guard column >= 0, column < columns else { throw .misuse("column \(column) of \(columns)") }
        return unsafe sqlite3_column_type(statement, Int32(column))
    }

    private func expect(_ wanted: Int32, _ column: Int) throws(StorageError) {
        let found = try type(column)
        guard found == wanted else {
            let reason = "column \(name(column)) holds \(Self.name(found)) in place of \(Self.name(wanted))"
            throw .damaged(path: connection.path, reason: reason)
        }
    }

    private func name(_ column: Int) -> String {
        unsafe sqlite3_column_name(statement, Int32(column)).map { unsafe String(cString: $0) } ?? "\(column)"
    }

    private static func name(_ type: Int32) -> String {
        switch type {
        case SQLITE_INTEGER: "an integer"
        case SQLITE_FLOAT: "a real number"
        case SQLITE_TEXT: "text"
        case SQLITE_BLOB: "a blob"
        default: "nothing"
        }
    }
}
