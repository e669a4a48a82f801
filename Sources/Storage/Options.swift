import CSQLite

extension Database {
    /// How a database is opened.
    public struct Options: Sendable {
        /// When SQLite syncs (`PRAGMA synchronous`, with a write-ahead log).
        public enum Synchronous: String, Sendable {
            /// At each commit: a committed transaction survives a power cut.
            case full = "FULL"
            /// At checkpoints only: a power cut may undo the last commits.
            case normal = "NORMAL"
            /// Never: a power cut may damage the file.
            case off = "OFF"
        }

        /// When SQLite syncs. Anything but `.full` is for the tests that show why.
        public var synchronous = Synchronous.full
        /// Whether the file is only read; it must exist, at the schema's version or below.
        public var readOnly = false
        /// How long to wait for another connection, in milliseconds.
        public var busyTimeout: Int32 = 5_000
        /// The page cache, in bytes.
        public var cacheBytes = 8 << 20
        /// Whether a commit that finds the write-ahead log long moves it into the database, at its writer's cost. When
        /// not, somebody has to call ``Database/checkpoint()``.
        public var checkpointsAtCommit = true
        /// How long the write-ahead log's file may stay once it was moved, in bytes; to grow it anew costs each commit.
        public var keptLogBytes = 4 << 20

        /// The defaults.
        public init() {}

        /// What holds for every connection.
        func apply(to connection: Connection) throws(StorageError) {
            unsafe sqlite3_busy_timeout(connection.handle, busyTimeout)
            try connection.turn(SQLITE_DBCONFIG_DEFENSIVE, on: true)
            try connection.turn(SQLITE_DBCONFIG_TRUSTED_SCHEMA, on: false)
            // A misspelt column in double quotes is an error, not a string.
            try connection.turn(SQLITE_DBCONFIG_DQS_DML, on: false)
            try connection.turn(SQLITE_DBCONFIG_DQS_DDL, on: false)
            try connection.turn(SQLITE_DBCONFIG_ENABLE_FKEY, on: true)
            // Without a map, a read error is an error code; with one it would be a SIGBUS.
            try connection.script(
                """
                PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
                PRAGMA cache_size = -\(max(cacheBytes, 64 << 10) >> 10);
                """
            )
        }

        /// What holds for a connection that writes, once the file is known to be ours.
        func applyForWriting(to connection: Connection) throws(StorageError) {
            try connection.script(
                """
                PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous.rawValue);
                PRAGMA journal_size_limit = \(keptLogBytes);
                """
            )
            if !checkpointsAtCommit { try connection.script("PRAGMA wal_autocheckpoint = 0") }
        }
    }
}
