import CSQLitePeer
import MildamCrypto

/// The rows of a send, written straight through SQLite's C interface: same tables, same indexes, same pragmas.
///
/// The tables are taken from a relay's own database, as it made them. The write-ahead log is moved into the database as
/// SQLite does it by itself, at a commit that finds 1,000 pages in it; the relay does that beside its commits.
@safe
final class RawStore {
    private static let pragmas = """
        PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;
        PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA journal_size_limit = 16777216;
        """

    private let connection: OpaquePointer
    private var insert: OpaquePointer?
    private var update: OpaquePointer?
    private var next: Int64 = 1
    private let room = SecureRandom.bytes(count: 16)

    /// Makes a database at `path` like the one at `relayPath`.
    init(_ path: String, like relayPath: String) throws {
        unsafe connection = try unsafe Self.open(path)
        try run(Self.pragmas)
        for statement in try Self.schema(of: relayPath) { try run(statement) }
        unsafe insert = try unsafe prepare(
            """
            INSERT INTO messages (room, number, generation, epoch, kind, account, device, id, stored, digest, body)
            VALUES (?, ?, 1, 0, 0, ?, ?, ?, 0, ?, ?)
            """
        )
        unsafe update = try unsafe prepare("UPDATE rooms SET next = ?1, bytes = ?1 WHERE room = ?2")
        let add = try unsafe prepare(
            """
            INSERT INTO rooms (room, creator, generation, epoch, renewal_due, first, next, bytes)
            VALUES (?, ?, 1, 0, 0, 1, 1, 0)
            """
        )
        unsafe bind(add, 1, room)
        unsafe bind(add, 2, room)
        try unsafe step(add)
        unsafe sqlite3_finalize(add)
    }

    deinit {
        unsafe sqlite3_finalize(insert)
        unsafe sqlite3_finalize(update)
        unsafe sqlite3_close(connection)
    }

    /// Stores messages for about `time` nanoseconds, `perCommit` in each transaction; returns how many a second.
    func rate(perCommit: Int, bodySize: Int, for time: Int64) throws -> Double {
        let (account, device) = (SecureRandom.bytes(count: 16), SecureRandom.bytes(count: 16))
        let digest = SecureRandom.bytes(count: 32)
        let body = SecureRandom.bytes(count: bodySize)
        let ids = SecureRandom.bytes(count: 16 * 4096)
        let start = nanoseconds()
        var stored = 0
        while nanoseconds() - start < time {
            try run("BEGIN IMMEDIATE")
            for _ in 0..<perCommit {
                var id = Array(ids[16 * (stored % 4096)..<16 * (stored % 4096) + 16])
                unsafe withUnsafeBytes(of: next) { number in
                    for index in 0..<8 { unsafe id[index] ^= number[index] }
                }
                unsafe bind(insert, 1, room)
                unsafe sqlite3_bind_int64(insert, 2, next)
                unsafe bind(insert, 3, account)
                unsafe bind(insert, 4, device)
                unsafe bind(insert, 5, id)
                unsafe bind(insert, 6, digest)
                unsafe bind(insert, 7, body)
                try unsafe step(insert)
                next += 1
                unsafe sqlite3_bind_int64(update, 1, next)
                unsafe bind(update, 2, room)
                try unsafe step(update)
                stored += 1
            }
            try run("COMMIT")
        }
        return Double(stored) * 1_000_000_000 / Double(nanoseconds() - start)
    }

    // MARK: Parts

    private static func open(_ path: String) throws -> OpaquePointer {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard unsafe sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened = unsafe opened else {
            throw BenchError("cannot open \(path)")
        }
        return unsafe opened
    }

    private static func schema(of path: String) throws -> [String] {
        let connection = try unsafe open(path)
        defer { unsafe sqlite3_close(connection) }
        var statement: OpaquePointer?
        let text = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        guard unsafe sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK else {
            throw BenchError("cannot read the tables of \(path)")
        }
        defer { unsafe sqlite3_finalize(statement) }
        var result: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            if let text = unsafe sqlite3_column_text(statement, 0) { result.append(unsafe String(cString: text)) }
        }
        return result
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        guard
            unsafe sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
                == SQLITE_OK
        else { throw failure() }
        return unsafe statement
    }

    private func bind(_ statement: OpaquePointer?, _ index: Int32, _ bytes: [UInt8]) {
        // SQLITE_TRANSIENT, which is a cast in the header: SQLite copies the bytes, as it does for the relay.
        let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe bytes.withUnsafeBytes {
            _ = unsafe sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copies)
        }
    }

    private func step(_ statement: OpaquePointer?) throws {
        guard unsafe sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
        unsafe sqlite3_reset(statement)
    }

    private func run(_ script: String) throws {
        guard unsafe sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    private func failure() -> BenchError {
        BenchError("SQLite: " + (unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "failed"))
    }
}
