import CSQLite
import Glibc
import MildamSystem

/// The open SQLite handle: closed when the database and its last statement are gone.
///
/// It has no mutex of SQLite's (`SQLITE_OPEN_NOMUTEX`): whoever owns the `Database` is the only one who uses it.
@safe
final class Connection {
    let handle: OpaquePointer
    let path: String

    /// Opens a file that exists, or a database in memory for the path ":memory:".
    ///
    /// - Parameter name: what errors call it; the path unless given.
    init(path: String, flags: Int32, name: String? = nil) throws(StorageError) {
        var opened: OpaquePointer?
        let all = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, all, nil)
        guard let handle = unsafe opened else { throw .io(SystemError("open", path, code: ENOMEM)) }
        unsafe self.handle = unsafe handle
        self.path = name ?? path
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Opens an empty database in memory.
    convenience init(inMemory name: String) throws(StorageError) {
        try self.init(path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, name: name)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Throws what a result code other than success means.
    func check(_ code: Int32) throws(StorageError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// What an extended result code of the last call on this connection means.
    func error(_ code: Int32) -> StorageError {
        // SQLite keeps its own note of the system's error, but not for a write that fails within a commit.
        let hasNoRoom = SystemError("write", path, code: errno).isOutOfSpace
        let reason = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "error \(code)"
        switch code & 0xff {
        case SQLITE_FULL:
            return .full(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            leaveLogAlone()
            return .damaged(path: path, reason: reason)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy(path: path)
        case SQLITE_CONSTRAINT:
            return .constraint(.init(extendedCode: code), reason: reason)
        case SQLITE_MISMATCH:
            return .constraint(.type, reason: reason)
        case SQLITE_READONLY:
            return .readOnly(path: path)
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            let number = unsafe sqlite3_system_errno(handle)
            let operation = code & 0xff == SQLITE_IOERR ? "read or write" : "open"
            let isUntold = number == 0 || number == ENOENT
            let cause = isUntold && isOnReadOnlyDisk ? EROFS : number == 0 ? EIO : number
            let error = SystemError(operation, path, code: cause)
            return hasNoRoom || error.isOutOfSpace ? .full(path: path) : .io(error)
        case SQLITE_NOMEM:
            return .io(SystemError("use", path, code: ENOMEM))
        default:
            return .misuse(reason)
        }
    }

    /// On such a disk the file beside the log that readers share cannot be made, and what SQLite notes is that it is missing.
    private var isOnReadOnlyDisk: Bool { (try? DiskRoom(at: path))?.isReadOnly == true }

    /// Runs a script of statements that give no rows.
    func script(_ sql: StaticString) throws(StorageError) {
        try script("\(sql)")
    }

    /// Runs a script that this module put together: pragmas, which take no parameters.
    func script(_ sql: String) throws(StorageError) {
        try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Turns an option of the connection on or off.
    func turn(_ option: Int32, on: Bool) throws(StorageError) {
        try check(unsafe mildam_sqlite3_switch(handle, option, on ? 1 : 0))
    }

    /// Once the file was found to be damaged, to close it moves nothing into it and deletes no log: that is for whoever
    /// saves what can be saved.
    func leaveLogAlone() {
        unsafe mildam_sqlite3_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Syncs the database's file through SQLite's own descriptor: to close another one would drop SQLite's locks.
    func synchronizeFile() throws(StorageError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(unsafe sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file))
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return }
        try check(unsafe methods.pointee.xSync(file, SQLITE_SYNC_NORMAL))
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }
}

extension StorageError.Constraint {
    init(extendedCode code: Int32) {
        // The C header defines these as (SQLITE_CONSTRAINT | (n << 8)), which is not imported.
        switch code >> 8 {
        case 1: self = .check
        case 3: self = .foreignKey
        case 5: self = .notNull
        case 7: self = .trigger
        case 12: self = .type
        default: self = .unique
        }
    }
}
