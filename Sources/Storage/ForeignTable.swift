import CSQLite
import Glibc
import MildamSystem

/// A table in a database that another program wrote, to be read. Nothing of it is believed: not its schema, whose
/// functions and views are not run, nor the types of its columns.
public enum ForeignTable {
    /// A value as it stands there.
    public enum Value: Sendable, Equatable {
        /// An `INTEGER`.
        case integer(Int64)
        /// A `TEXT`.
        case text(String)
        /// A `BLOB`.
        case blob([UInt8])
        /// `NULL`, a `REAL`, or text that is not UTF-8.
        case other
    }

    /// The longest value that is read, in bytes.
    public static let maximumValue = 1 << 16
    /// The most rows.
    public static let maximumRows = 1_000_000

    /// The rows of the one table that has all of these columns.
    ///
    /// - Parameter columns: their names, as they are written in SQL.
    /// - Returns: of each row the values in the order of `columns`.
    /// - Throws: `damaged` where there is no such table or more than one, or too much in it; `io`.
    public static func rows(in path: String, columns: [StaticString]) throws(StorageError) -> [[Value]] {
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        try Database.Options().apply(to: connection)
        unsafe sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(maximumValue))
        let list = columns.map { quoted("\($0)") }.joined(separator: ", ")
        var found: [[[Value]]] = []
        for table in try read("SELECT name FROM sqlite_schema WHERE type = 'table'", connection) {
            guard case .text(let name) = table[0] else { continue }
            do throws(StorageError) {
                found.append(try read("SELECT \(list) FROM \(quoted(name))", connection))
            } catch .misuse {
                // It has other columns.
            }
        }
        guard found.count == 1 else {
            let names = columns.map { "\($0)" }.joined(separator: ", ")
            throw .damaged(path: path, reason: "\(found.count) tables have the columns \(names), where one is expected")
        }
        return found[0]
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private static func read(_ sql: String, _ connection: Connection) throws(StorageError) -> [[Value]] {
        var prepared: OpaquePointer?
        try connection.check(unsafe sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil))
        guard let statement = unsafe prepared else { throw .misuse("an empty statement") }
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [[Value]] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                guard rows.count < maximumRows else {
                    throw .damaged(path: connection.path, reason: "more than \(maximumRows) rows")
                }
                let count = unsafe sqlite3_column_count(statement)
                rows.append((0..<count).map { unsafe value(statement, $0) })
            case let code: throw connection.error(code)
            }
        }
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_column_text(statement, column)
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            let bytes = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
            return unsafe String(validating: bytes, as: UTF8.self).map(Value.text) ?? .other
        case SQLITE_BLOB:
            let start = unsafe sqlite3_column_blob(statement, column)
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            return .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
        default: return .other
        }
    }
}
