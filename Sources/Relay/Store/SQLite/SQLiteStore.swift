import MildamIdentity
import MildamStorage

/// The relay's store in one SQLite database.
struct SQLiteStore: RelayStore {
    let path: String
    let options: Database.Options
    let log: RelayLog
    /// Where its mark is; `nil` where it has none, so that nobody notices an older copy.
    let mark: MarkFile?

    init(
        path: String,
        synchronous: Database.Options.Synchronous = .full,
        log: RelayLog = .none,
        mark: MarkFile? = nil
    ) {
        self.path = path
        self.log = log
        self.mark = mark
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

    func identify(at now: Int64) throws(StorageError) -> StoreIdentity {
        try identify(at: now, isPutBack: false)
    }

    /// Raises the mark, and makes it another store where it is older than the mark beside it: one without key packages that are
    /// claimed once.
    ///
    /// - Parameter isPutBack: whether somebody says so.
    func identify(at now: Int64, isPutBack: Bool) throws(StorageError) -> StoreIdentity {
        let database = try Database(path: path, schema: RelaySchema.current, options: options)
        let before = try database.storeRow()
        guard mark != nil || isPutBack else {
            return StoreIdentity(incarnation: before.incarnation, restored: before.restored)
        }
        let known = mark?.read()
        let row = before.started(beside: known, isPutBack: isPutBack, as: .random(), at: now)
        do throws(StorageError) {
            // A crash at the first start is not to leave a store that misses its mark.
            if before.mark == 0, known == nil { try mark?.write(before) }
            try database.put(row, replacing: before)
            try mark?.write(row)
        } catch {
            // A full disk keeps nobody from a store that is what it was.
            guard row.incarnation == before.incarnation else { throw error }
            log.error("mark_not_written", "a copy of now that is put back may not be noticed: \(error)")
        }
        if row.incarnation != before.incarnation {
            log.write(.info, "store_put_back", [.text("incarnation", row.incarnation.description)])
        }
        return StoreIdentity(incarnation: row.incarnation, restored: row.restored)
    }

    func openLane() throws(RelayError) -> any CommitLane {
        let checkpointer = try Checkpointer(path: path, options: options, log: log)
        do throws(StorageError) {
            return try SQLiteLane(
                path: path,
                options: options,
                log: log,
                checkpointer: checkpointer,
                mark: mark
            )
        } catch {
            checkpointer.stop()
            throw .storage(error)
        }
    }

    func openReads() throws(StorageError) -> any RelayReads { try SQLiteReads(path: path) }
}
