import MildamStorage

/// The relay's store in one SQLite database.
struct SQLiteStore: RelayStore {
    let path: String
    let options: Database.Options
    let log: RelayLog

    init(path: String, synchronous: Database.Options.Synchronous = .full, log: RelayLog = .none) {
        self.path = path
        self.log = log
        var options = Database.Options()
        options.synchronous = synchronous
        options.checkpointsAtCommit = false
        // As long as it becomes before it begins anew, at full load: to cut it is something to wait for, too.
        options.keptLogBytes = 192 << 20
        self.options = options
    }

    func prepare() throws(StorageError) {
        _ = try Database(path: path, schema: RelaySchema.current, options: options)
    }

    func openLane() throws(RelayError) -> any CommitLane {
        let checkpointer = try Checkpointer(path: path, options: options, log: log)
        do throws(StorageError) {
            return try SQLiteLane(path: path, options: options, log: log, checkpointer: checkpointer)
        } catch {
            checkpointer.stop()
            throw .storage(error)
        }
    }

    func openReads() throws(StorageError) -> any RelayReads { try SQLiteReads(path: path) }
}
