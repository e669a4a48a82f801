import CSQLite
import Glibc

/// A compiled statement, to be run again and again with other values.
///
/// Every parameter gets a value before each run, and none outlives it. The rows are read inside a call, so a
/// statement is never left open: an open one would hold its snapshot, and the write-ahead log could not be cut.
@safe
public final class Statement {
    /// The most parameters a statement may have.
    public static let maximumParameters = 64

    let handle: OpaquePointer
    private let connection: Connection
    /// One bit for each parameter that has yet to get its value.
    private var missing: UInt64
    private let parameters: UInt64
    private(set) var isRunning = false
    /// Room for the small values of one run.
    private let space: UnsafeMutableRawPointer
    private static let spaceSize = 1024
    private var spaceUsed = 0
    /// Whether SQLite has allocated for a value.
    private var holdsCopies = false

    init(_ sql: StaticString, on connection: Connection) throws(StorageError) {
        guard sql.hasPointerRepresentation, sql.utf8CodeUnitCount < Int32.max else { throw .misuse("no statement") }
        var prepared: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        // The pointer is to a literal, which ends with a zero and lives as long as the program.
        let start = unsafe UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        let end = unsafe start + sql.utf8CodeUnitCount
        let code = unsafe sqlite3_prepare_v3(
            connection.handle,
            start,
            Int32(sql.utf8CodeUnitCount) + 1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &prepared,
            &tail
        )
        try connection.check(code)
        guard let handle = unsafe prepared else { throw .misuse("an empty statement") }
        unsafe self.handle = unsafe handle
        self.connection = connection
        let count = Int(unsafe sqlite3_bind_parameter_count(handle))
        parameters = count == 64 ? .max : (1 << UInt64(clamping: count)) - 1
        missing = parameters
        unsafe space = .allocate(byteCount: Self.spaceSize, alignment: 16)
        guard count <= Self.maximumParameters else { throw .misuse("a statement of \(count) parameters") }
        guard unsafe tail == end else { throw .misuse("more than one statement where one is due") }
    }

    deinit {
        unsafe sqlite3_finalize(handle)
        unsafe space.deallocate()
    }

    // MARK: Parameters, counted from 1

    /// Gives parameter `index` an `INTEGER`.
    public func bind(_ index: Int, _ value: Int64) throws(StorageError) {
        let position = try claim(index)
        try connection.check(unsafe sqlite3_bind_int64(handle, position, value))
    }

    /// Gives parameter `index` a `TEXT`.
    public func bind(_ index: Int, _ value: String) throws(StorageError) {
        let position = try claim(index)
        var text = value
        let code = text.withUTF8 { utf8 in
            if let own = unsafe keep(UnsafeRawBufferPointer(utf8)) {
                return unsafe sqlite3_bind_text(
                    handle,
                    position,
                    own.assumingMemoryBound(to: CChar.self),
                    Int32(utf8.count),
                    nil
                )
            }
            return unsafe UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { text in
                unsafe mildam_sqlite3_bind_text(handle, position, text.baseAddress, UInt64(text.count))
            }
        }
        try connection.check(code)
    }

    /// Gives parameter `index` a `BLOB`.
    public func bind(_ index: Int, _ value: Span<UInt8>) throws(StorageError) {
        let position = try claim(index)
        let code = unsafe value.withUnsafeBytes { bytes in
            if let own = unsafe keep(bytes) {
                return unsafe sqlite3_bind_blob(handle, position, own, Int32(bytes.count), nil)
            }
            return unsafe mildam_sqlite3_bind_blob(handle, position, bytes.baseAddress, UInt64(bytes.count))
        }
        try connection.check(code)
    }

    /// Copies a small value to where it stays until the run is over, so that SQLite need not allocate.
    ///
    /// - Returns: `nil` when it does not fit; SQLite then makes a copy of its own.
    private func keep(_ value: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard value.count <= Self.spaceSize - spaceUsed else {
            holdsCopies = true
            return nil
        }
        let place = unsafe space + spaceUsed
        if let start = value.baseAddress { unsafe place.copyMemory(from: start, byteCount: value.count) }
        spaceUsed += value.count
        return unsafe place
    }

    /// Gives parameter `index` no value.
    public func bindNull(_ index: Int) throws(StorageError) {
        let position = try claim(index)
        try connection.check(unsafe sqlite3_bind_null(handle, position))
    }

    private func claim(_ index: Int) throws(StorageError) -> Int32 {
        guard !isRunning else { throw .misuse("a statement is given values while its rows are read") }
        let bit: UInt64 = index >= 1 && index <= 64 ? 1 << UInt64(index - 1) : 0
        guard parameters & bit != 0 else {
            end()  // the values given so far belong to a run that will not be
            throw .misuse("a value for parameter \(index), which is not there")
        }
        missing &= ~bit
        return Int32(truncatingIfNeeded: index)
    }

    /// Gives all parameters their values, in order.
    @inlinable
    public func bind<each Value: ColumnValue>(all values: repeat each Value) throws(StorageError) {
        var index = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: self, at: index)
        }
    }

    // MARK: Running

    /// Runs a statement that gives no rows.
    public func run() throws(StorageError) {
        try begin()
        defer { end() }
        if try step() { throw .misuse("rows from a statement that should have none") }
    }

    /// Gives all parameters their values and runs a statement that gives no rows.
    @inlinable
    public func run<each Value: ColumnValue>(_ values: repeat each Value) throws(StorageError) {
        try bind(all: repeat each values)
        try run()
    }

    /// Runs the statement and hands over each row until `body` returns false.
    public func forEach(while body: (borrowing Row) throws(StorageError) -> Bool) throws(StorageError) {
        try begin()
        defer { end() }
        let row = Row(self, connection)
        while try step() {
            guard try body(row) else { return }
        }
    }

    /// Runs the statement and returns what `body` makes of its first row; `nil` when there is none.
    public func first<Result>(
        _ body: (borrowing Row) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        try begin()
        defer { end() }
        guard try step() else { return nil }
        let row = Row(self, connection)
        return try body(row)
    }

    /// Runs the statement and returns what `body` makes of each row.
    public func rows<Result>(
        _ body: (borrowing Row) throws(StorageError) -> Result
    ) throws(StorageError) -> [Result] {
        try begin()
        defer { end() }
        let row = Row(self, connection)
        var results: [Result] = []
        while try step() { results.append(try body(row)) }
        return results
    }

    private func begin() throws(StorageError) {
        guard !isRunning else { throw .misuse("a statement is run while its rows are read") }
        guard missing == 0 else {
            end()
            throw .misuse("a parameter without a value")
        }
        isRunning = true
    }

    private func step() throws(StorageError) -> Bool {
        errno = 0
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw connection.error(code) }
        return false
    }

    private func end() {
        unsafe sqlite3_reset(handle)
        // What lies in `space` needs no clearing: each run asks for every value anew.
        if holdsCopies {
            unsafe sqlite3_clear_bindings(handle)
            holdsCopies = false
        }
        spaceUsed = 0
        missing = parameters
        isRunning = false
    }
}
