import MildamIdentity
import MildamStorage
import MildamSystem

/// The only one who changes the relay's database. It has its own thread; a batch is one transaction.
final class SQLiteLane: CommitLane {
    let database: Database
    private let facts: SQLiteFacts
    private let writing: SQLiteChanges
    private let log: RelayLog
    /// Moves the write-ahead log; `nil` where nobody keeps it short.
    private let checkpointer: Checkpointer?
    private var logLength = LogLength()
    /// Raises the store's mark; `nil` where it has none.
    private let marks: MarkWriter?
    /// Rooms whose next number and bytes the open transaction has yet to store: once, at its end.
    private var counters: [RoomID: Room] = [:]
    private var usage: SQLiteUsage
    /// Whether the open transaction has changed anything.
    private var hasApplied = false
    /// Whether something was deleted that the write-ahead log still holds.
    private(set) var hasDeleted = false

    let isOnlyWriter = true
    let loadsOnDemand: Bool

    /// Opens, or makes, the database.
    init(
        path: String,
        options: Database.Options,
        log: RelayLog = .none,
        checkpointer: Checkpointer? = nil,
        mark: MarkFile? = nil,
        loadsOnDemand: Bool = true
    ) throws(StorageError) {
        database = try Database(path: path, schema: RelaySchema.current, options: options)
        facts = SQLiteFacts(database: database)
        writing = SQLiteChanges(database: database)
        usage = SQLiteUsage(database)
        if let mark {
            marks = MarkWriter(mark, of: try database.storeRow(), log: log)
        } else {
            marks = nil
        }
        self.log = log
        self.checkpointer = checkpointer
        self.loadsOnDemand = loadsOnDemand
    }

    /// A database in memory, which nobody else has open and nobody keeps short.
    init(inMemory database: Database) {
        self.database = database
        facts = SQLiteFacts(database: database)
        writing = SQLiteChanges(database: database)
        usage = SQLiteUsage(database)
        marks = nil
        log = .none
        checkpointer = nil
        loadsOnDemand = true
    }

    // MARK: The batch

    func begin() throws(StorageError) {
        hasApplied = false
        try database.execute("BEGIN IMMEDIATE")
    }

    func load(_ keys: [FactKey], into known: inout Facts) throws(StorageError) {
        for key in keys {
            switch key {
            case .room, .longRooms, .end: try storeCounters()
            case .usage(let account): try usage.store(account)
            case .network: try usage.store()
            // Nothing else depends on what waits.
            default: break
            }
            try facts.load(key, into: &known)
        }
    }

    func apply(_ changes: Changes) throws(StorageError) {
        hasApplied = true
        if try writing.apply(changes) { hasDeleted = true }
        for change in changes.rooms {
            counters[change.room.id] = change.kind == .counters ? change.room : nil
        }
        usage.take(changes.charges)
    }

    func commit() throws(StorageError) {
        try storeCounters()
        try usage.store()
        if hasApplied { try marks?.prepare(database) }
        try database.execute("COMMIT")
        hasApplied = false
    }

    func abort() {
        counters.removeAll()
        usage.forget()
        marks?.forget()
        // SQLite undoes the whole transaction by itself after some failures, such as a full disk. Where undoing fails, the
        // transaction stays open, and the next one is refused.
        try? database.execute("ROLLBACK")
    }

    private func storeCounters() throws(StorageError) {
        guard !counters.isEmpty else { return }
        for room in counters.values { try writing.count(room) }
        counters.removeAll(keepingCapacity: true)
    }

    // MARK: Between the batches

    func findRemains() throws(StorageError) -> [Remains] { try facts.remains() }

    func removeDeleted(patience: Int32?) throws(StorageError) {
        guard hasDeleted else { return }
        try database.truncateWAL(patience: patience)
        logLength.restart()
        hasDeleted = false
    }

    func tidy() {
        marks?.publish()
        guard let checkpointer else { return }
        switch logLength.step(
            afterWriting: database.takeWrittenPages(),
            isMoving: checkpointer.isBusy,
            room: { roomOnTheDisk }
        ) {
        case .nothing: break
        case .beside: checkpointer.begin()
        case .atOnce: moveTheRest()
        }
    }

    /// How many pages the disk has room for.
    private var roomOnTheDisk: Int {
        guard let room = try? DiskRoom(at: database.path) else { return .max }
        return room.freeBytes / LogLength.pageSize
    }

    private func moveTheRest() {
        let isMoved = Checkpointer.checkpoint(log) { () throws(StorageError) in
            if logLength.isCramped { try database.truncateWAL(patience: 2) } else { try database.checkpoint() }
        }
        if isMoved { logLength.restart() } else { logLength.postpone() }
    }

    func close() {
        marks?.finish(database)
        checkpointer?.stop()
    }
}
