import FoundationEssentials
import MildamClientCore
import MildamCrypto
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamStorage

/// A client's rooms in a database of their owner's: states, histories, wishes, entries, messages that others may need again,
/// key packages, and the groups in a `GroupStore`.
///
/// Each value is sealed. The file shows how many rooms there are, how many numbers, wishes and key packages each has, and
/// roughly how long everything is. What a step deletes is overwritten in the file, and ``eraseRemains(patience:)`` cuts it out
/// of the write-ahead log.
///
/// A row that does not open is a cause by name, `Cause.recordsDamaged`, of its room alone.
public final class RoomStore: CoreStore {
    let database: Database
    let keys: RoomKeys
    let groups: GroupStore
    /// Groups that wait for their number: some have the name of a room's present group.
    let waitingGroups: GroupStore
    /// Where the rows of each room are.
    private(set) var places: [RoomID: Int64]
    private var lastPlace: Int64
    private var hasOwnRemains = true
    /// The rooms of which something did not open: all rows of theirs are written anew with the next step of theirs.
    private(set) var damaged: Set<RoomID> = []

    /// A store in a database that has the tables. ``eraseRemains(patience:)`` is due: who ended before may not have come to it.
    ///
    /// - Parameter rootKey: 32 bytes.
    public init(database: Database, rootKey: SymmetricKey) throws(StorageError) {
        self.database = database
        let keys = RoomKeys(rootKey: rootKey, path: database.path)
        self.keys = keys
        groups = GroupStore(database: database, rootKey: rootKey)
        waitingGroups = GroupStore(database: database, rootKey: RoomStore.waitingKey(rootKey))
        var (places, last): ([RoomID: Int64], Int64) = ([:], 0)
        try database.forEach("SELECT place, room FROM room_states ORDER BY place") { row throws(StorageError) in
            last = try row.int64(0)
            let name = RoomStore.opened(try row.data(1), by: keys.names, .integer(last))
            if let room = name.flatMap({ try? RoomID(bytes: $0) }) { places[room] = last }
            return true
        }
        (self.places, lastPlace) = (places, last)
    }

    private static func waitingKey(_ rootKey: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: rootKey,
            info: Array("mildam/1 waiting groups".utf8),
            outputByteCount: 32
        )
    }

    // MARK: Storing

    /// Stores all changes of a step in one transaction, which is synced once; or none.
    public func store(_ changes: [StoreChange]) throws(StorageError) {
        let before = (places, lastPlace, damaged)
        do throws(StorageError) {
            try database.transaction { () throws(StorageError) in try write(changes) }
        } catch {
            (places, lastPlace, damaged) = before
            throw error
        }
    }

    /// Entries go below a room's row, and those of one number into one row.
    private func write(_ changes: [StoreChange]) throws(StorageError) {
        for case .forget(let room) in changes { try forget(room) }
        for case .room(let room, let stored) in changes { try put(room, replacing: stored) }
        var entries: [RoomID: [UInt64: [ShownEntry]]] = [:]
        for change in changes {
            switch change {
            case .room, .forget: break
            case .entry(let room, let entry): entries[room, default: [:]][entry.number, default: []].append(entry)
            case .keep(let room, let message, let until): try keep(message, until: until, of: room)
            case .release(let room, let numbers): try release(numbers, of: room)
            case .keyPackages(let stock, let stored): try put(stock, replacing: stored)
            }
        }
        for (room, numbered) in entries.sorted(by: { $0.key < $1.key }) {
            for (number, list) in numbered.sorted(by: { $0.key < $1.key }) { try append(list, number, of: room) }
        }
    }

    /// Where a room's rows are; a room that has none gets a place.
    func place(of room: RoomID) throws(StorageError) -> Int64 {
        if let place = places[room] { return place }
        lastPlace += 1
        try database.execute(
            "INSERT INTO room_states (place, room, value) VALUES (?, ?, ?)",
            lastPlace,
            try keys.names.seal(Data(room.bytes), column: "value", row: .integer(lastPlace)),
            [UInt8]()
        )
        places[room] = lastPlace
        return lastPlace
    }

    /// Nothing of a room is here any more.
    func noteGone(_ room: RoomID) {
        places[room] = nil
        damaged.remove(room)
        noteRemains()
    }

    /// Something of a room does not open.
    func noteDamage(of room: RoomID) { damaged.insert(room) }

    /// Deletes what a room has beside its state and its entries, where something of it does not open.
    ///
    /// - Returns: whether that was so.
    func clear(_ room: RoomID, at place: Int64) throws(StorageError) -> Bool {
        guard damaged.remove(room) != nil else { return false }
        let range = try NumberedRow.keys(place)
        let (first, last) = (range.lowerBound, range.upperBound)
        try database.execute("DELETE FROM room_history WHERE place BETWEEN ? AND ?", first, last)
        try database.execute("DELETE FROM room_intents WHERE room = ?", place)
        try database.execute("DELETE FROM room_outlines WHERE room = ?", place)
        try database.execute("DELETE FROM room_welcomes WHERE room = ?", place)
        noteRemains()
        return true
    }

    // MARK: Remains

    /// Whether the write-ahead log may hold what was deleted.
    public var hasRemains: Bool { hasOwnRemains || groups.hasRemains || waitingGroups.hasRemains }

    func noteRemains() { hasOwnRemains = true }

    /// Cuts what was deleted out of the write-ahead log: once for many steps, and a second after the first of them at the latest.
    ///
    /// - Parameter patience: how long to wait for readers, in milliseconds; `nil`: as long as for anything else.
    /// - Throws: `busy` while another connection reads an older state.
    public func eraseRemains(patience: Int32? = nil) throws(StorageError) {
        guard hasRemains else { return }
        try database.truncateWAL(patience: patience)
        hasOwnRemains = false
        groups.noteErased()
        waitingGroups.noteErased()
        // What is sent next is not to wait for that. Where it cannot be now, that begins the log.
        try? database.beginLog()
    }

    // MARK: Values

    /// What a sealed value holds; `nil` where it does not open.
    static func opened(_ sealed: Data, by sealer: RowSealer, _ row: RowSealer.KeyPart) -> [UInt8]? {
        (try? sealer.open(sealed, column: "value", row: row)).map { Array($0) }
    }

    /// A value as it is sealed.
    static func sealed(
        _ value: [UInt8],
        by sealer: RowSealer,
        _ row: RowSealer.KeyPart
    ) throws(StorageError) -> Data {
        try sealer.seal(Data(value), column: "value", row: row)
    }
}
