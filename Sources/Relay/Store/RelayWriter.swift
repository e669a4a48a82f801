import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem

/// The only one who changes the relay's database. Lives on the commit thread; every change is part of its transaction.
///
/// An operation refuses before its first write: a refusal leaves the transaction as it was.
final class RelayWriter {
    let database: Database
    /// Rooms as the open transaction has them. Dropped when it is undone.
    var rooms: [RoomID: Room] = [:]
    /// Those of them whose next number the open transaction has yet to store.
    var counted: Set<RoomID> = []
    /// What accounts have uploaded, as the open transaction has it. Dropped when it is undone.
    var blobShares: [AccountID: BlobShare] = [:]
    /// What is to be told once the transaction is on the disk.
    var notices: [LiveNotice] = []
    /// When the operations under way are taken to happen, in milliseconds since 1970.
    var now: Int64 = 0
    /// What is still to be deleted, as the disk has it; the last is next.
    var remains: [Remains] = []
    /// What the open transaction began to delete, and what it came to the end of.
    var begun: [Remains] = []
    var finished: [Remains] = []
    /// Whether something was deleted that the write-ahead log still holds.
    var hasDeleted = false

    /// How much anybody may have.
    let quota: RelayQuota

    private static let maximumRooms = 4096

    /// Opens, or makes, the database.
    init(
        path: String,
        options: Database.Options = RelayWriter.options(synchronous: .full),
        quota: RelayQuota = RelayQuota()
    ) throws(StorageError) {
        self.quota = quota
        database = try Database(path: path, schema: RelaySchema.current, options: options)
        try findRemains()
    }

    /// How the relay's database is opened by those who write it.
    static func options(synchronous: Database.Options.Synchronous) -> Database.Options {
        var options = Database.Options()
        options.synchronous = synchronous
        options.checkpointsAtCommit = false
        options.keptLogBytes = 64 << 20
        return options
    }

    /// Runs `body` as one transaction: all that it changed is on the disk when this returns, or nothing is changed.
    func transaction<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let result = try database.transaction { () throws(StorageError) in
            let result = try body()
            try storeCounters()
            return result
        }
        remains.removeAll { finished.contains($0) }
        finished.removeAll()
        for new in begun where !remains.contains(new) { remains.append(new) }
        begun.removeAll()
        return result
    }

    private func storeCounters() throws(StorageError) {
        for id in counted {
            guard let room = rooms[id] else { continue }
            try database.execute(
                "UPDATE rooms SET next = ?, bytes = ? WHERE room = ?",
                Int64(lookup: room.next),
                room.bytes,
                id.column
            )
        }
        counted.removeAll(keepingCapacity: true)
    }

    /// The open transaction was undone.
    func forget() {
        rooms.removeAll()
        counted.removeAll()
        blobShares.removeAll()
        notices.removeAll()
        begun.removeAll()
        finished.removeAll()
    }

    /// What the transaction that is now on the disk means for those who listen.
    func takeNotices() -> [LiveNotice] {
        defer { notices.removeAll(keepingCapacity: true) }
        return notices
    }

    /// A room and its members.
    func room(_ id: RoomID) throws(StorageError) -> Room? {
        if let known = rooms[id] { return known }
        guard let room = try Room(id, in: database) else { return nil }
        if rooms.count >= Self.maximumRooms {
            try storeCounters()
            rooms.removeAll(keepingCapacity: true)
        }
        rooms[id] = room
        return room
    }

    /// Removes from the disk what was deleted before.
    ///
    /// - Parameter patience: how long to wait for readers, in milliseconds; `nil`: as long as for anything else.
    /// - Throws: `.busy` while a reader is on an older state.
    func cutLog(patience: Int32?) throws(StorageError) {
        guard hasDeleted else { return }
        try database.truncateWAL(patience: patience)
        hasDeleted = false
    }
}
