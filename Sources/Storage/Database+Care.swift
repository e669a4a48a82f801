import CSQLite
import Glibc
import MildamSystem

extension Database {
    /// Moves what is committed from the write-ahead log into the database, as far as no reader is on an older state,
    /// and waits for nobody. Another connection may commit meanwhile. Once all of it is moved, the log starts anew.
    ///
    /// What was moved is synced, too. SQLite itself does that only when nothing is left in the log, and then whoever
    /// moves the last page would wait for all of them.
    ///
    /// - Throws: `.busy` when another connection is at it.
    public func checkpoint() throws(StorageError) {
        try connection.check(
            unsafe sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        )
        try connection.synchronizeFile()
    }

    /// How many pages this connection has written to the write-ahead log since it was asked before.
    public func takeWrittenPages() -> Int {
        var count: Int32 = 0
        var highest: Int32 = 0
        unsafe sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 1)
        return Int(count)
    }

    /// Moves the write-ahead log into the database and cuts it to nothing, on the disk.
    ///
    /// Due after deletions: until then the log may hold what was deleted.
    ///
    /// - Parameter patience: how long to wait for readers, in milliseconds; `nil`: `Options.busyTimeout`.
    /// - Throws: `.busy` while another connection reads an older state.
    public func truncateWAL(patience: Int32? = nil) throws(StorageError) {
        if let patience { unsafe sqlite3_busy_timeout(connection.handle, patience) }
        defer { if patience != nil { unsafe sqlite3_busy_timeout(connection.handle, busyTimeout) } }
        try connection.check(
            unsafe sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        )
        // SQLite does not sync the cut itself; without this the log could come back after a power cut.
        do throws(SystemError) {
            try Descriptor.open(path + "-wal", O_RDWR).synchronize(path: path + "-wal")
        } catch  where error.code != ENOENT {
            throw .io(error)
        } catch {}
    }

    /// Begins the write-ahead log that ``truncateWAL(patience:)`` has cut, and changes nothing.
    ///
    /// SQLite syncs the header of a log before what it writes behind it, so that a transaction that begins one is synced
    /// twice. After this the next is synced once.
    ///
    /// - Throws: `.busy` while another connection writes.
    public func beginLog() throws(StorageError) {
        try transaction { () throws(StorageError) in
            let version = try first("PRAGMA user_version") { row throws(StorageError) in try row.int(0) }
            // The version that it has, written again: the smallest change there is, of the first page.
            if let version { try connection.script("PRAGMA user_version = \(version)") }
        }
    }

    /// Reads the whole file and throws `.damaged` when its pages, indexes or references contradict each other.
    ///
    /// A changed byte inside a value is not noticed here: sealing notices it.
    public func checkIntegrity() throws(StorageError) {
        let report = try first("PRAGMA integrity_check(1)") { row throws(StorageError) in try row.text(0) }
        guard report == "ok" else {
            throw .damaged(path: path, reason: report ?? "the integrity check gave no answer")
        }
        let orphan = try first("PRAGMA foreign_key_check") { row throws(StorageError) in try row.text(0) }
        if let orphan { throw .damaged(path: path, reason: "a row of \(orphan) refers to a missing one") }
    }
}
