import FoundationEssentials
import MildamClientStore
import MildamCrypto
import MildamStorage

/// Gives every row of a profile's database a new seal and a new name, under another root key: in one transaction, so that
/// the whole database lies under the one key or the other.
///
/// A row's new name may come behind its old one, where it is met again: what opens under the new keys is done. A value that
/// opens under neither is damaged, and stays so under its new name: it is reported by whoever reads it.
struct Resealing {
    private let database: Database
    private let old: RowKeys
    private let new: RowKeys
    private let roots: (old: SymmetricKey, new: SymmetricKey)
    private var damaged: Set<[RowSealer.KeyPart]> = []
    /// Rows that are read at a time.
    private static let portion: Int64 = 500

    /// - Parameter roots: the root keys that the keys are of.
    init(
        _ database: Database,
        from old: RowKeys,
        to new: RowKeys,
        roots: (old: SymmetricKey, new: SymmetricKey)
    ) {
        self.database = database
        self.old = old
        self.new = new
        self.roots = roots
    }

    /// Seals everything anew, and cuts what the old key opened out of the file's log.
    mutating func run() throws(StorageError) {
        try database.transaction { () throws(StorageError) in
            try records()
            try entries()
            try outbox()
            try envelopes()
            try RoomStore.reseal(database, from: roots.old, to: roots.new)
        }
        try database.truncateWAL()
    }

    private mutating func records() throws(StorageError) {
        var (lastKind, lastName): (String, [UInt8]) = ("", [])
        while true {
            let rows = try database.rows(
                "SELECT kind, name, value FROM records WHERE (kind, name) > (?, ?) ORDER BY kind, name LIMIT ?",
                lastKind,
                lastName,
                Self.portion
            ) { row throws(StorageError) in (try row.text(0), try row.bytes(1), try row.data(2)) }
            for (kind, name, value) in rows {
                (lastKind, lastName) = (kind, name)
                if kind == RootKeyRecord.kind {
                    let record = RootKeyRecord(earlierNaming: old.naming)
                    try database.execute(
                        "UPDATE records SET value = ? WHERE kind = ?",
                        try record.sealed(by: new.records),
                        kind
                    )
                    continue
                }
                let newName = new.blindedAnew(name)
                let places: Places = ([.text(kind), .bytes(name)], [.text(kind), .bytes(newName)])
                guard let moved = try moved(value, old.records, new.records, places) else { continue }
                try database.execute("DELETE FROM records WHERE kind = ? AND name = ?", kind, name)
                try database.execute(
                    "INSERT INTO records (kind, name, value) VALUES (?, ?, ?)",
                    kind,
                    newName,
                    moved
                )
            }
            if rows.isEmpty { return }
        }
    }

    private mutating func entries() throws(StorageError) {
        var (lastRoom, lastNumber): ([UInt8], Int64) = ([], 0)
        while true {
            let rows = try database.rows(
                "SELECT room, number, value FROM entries WHERE (room, number) > (?, ?) ORDER BY room, number LIMIT ?",
                lastRoom,
                lastNumber,
                Self.portion
            ) { row throws(StorageError) in (try row.bytes(0), try row.int64(1), try row.data(2)) }
            for (room, number, value) in rows {
                (lastRoom, lastNumber) = (room, number)
                let newRoom = new.blindedAnew(room)
                let places: Places = ([.bytes(room), .integer(number)], [.bytes(newRoom), .integer(number)])
                guard let moved = try moved(value, old.entries, new.entries, places) else { continue }
                try database.execute("DELETE FROM entries WHERE room = ? AND number = ?", room, number)
                try database.execute(
                    "INSERT INTO entries (room, number, value) VALUES (?, ?, ?)",
                    newRoom,
                    number,
                    moved
                )
            }
            if rows.isEmpty { return }
        }
    }

    private mutating func outbox() throws(StorageError) {
        var last: Int64 = .min
        while true {
            let rows = try database.rows(
                "SELECT place, value FROM outbox WHERE place > ? ORDER BY place LIMIT ?",
                last,
                Self.portion
            ) { row throws(StorageError) in (try row.int64(0), try row.data(1)) }
            for (place, value) in rows {
                last = place
                let places: Places = ([.integer(place)], [.integer(place)])
                guard let moved = try moved(value, old.outbox, new.outbox, places) else { continue }
                try database.execute("UPDATE outbox SET value = ? WHERE place = ?", moved, place)
            }
            if rows.isEmpty { return }
        }
    }

    private mutating func envelopes() throws(StorageError) {
        var (lastRoom, lastGeneration, lastDigest): ([UInt8], Int64, [UInt8]) = ([], 0, [])
        while true {
            let rows = try database.rows(
                """
                SELECT room, generation, digest, sender, value FROM envelopes
                WHERE (room, generation, digest) > (?, ?, ?)
                ORDER BY room, generation, digest LIMIT ?
                """,
                lastRoom,
                lastGeneration,
                lastDigest,
                Self.portion
            ) { row throws(StorageError) in
                (try row.bytes(0), try row.int64(1), try row.bytes(2), try row.bytes(3), try row.data(4))
            }
            for (room, generation, digest, sender, value) in rows {
                (lastRoom, lastGeneration, lastDigest) = (room, generation, digest)
                let newRoom = new.blindedAnew(room)
                let rest: [RowSealer.KeyPart] = [.integer(generation), .bytes(digest)]
                let places: Places = ([.bytes(room)] + rest, [.bytes(newRoom)] + rest)
                guard let moved = try moved(value, old.envelopes, new.envelopes, places) else { continue }
                try database.execute(
                    "DELETE FROM envelopes WHERE room = ? AND generation = ? AND digest = ?",
                    room,
                    generation,
                    digest
                )
                try database.execute(
                    "INSERT INTO envelopes (room, generation, digest, sender, value) VALUES (?, ?, ?, ?, ?)",
                    newRoom,
                    generation,
                    digest,
                    // Nobody's name is the same under every key.
                    sender.isEmpty ? [] : new.blindedAnew(sender),
                    moved
                )
            }
            if rows.isEmpty { return }
        }
    }

    // MARK: One value

    /// Where a row is, and where it belongs under the new keys.
    private typealias Places = (old: [RowSealer.KeyPart], new: [RowSealer.KeyPart])

    /// The value under the new keys; `nil` when that is what it is.
    private mutating func moved(
        _ value: Data,
        _ sealer: RowSealer,
        _ next: RowSealer,
        _ places: Places
    ) throws(StorageError) -> Data? {
        do throws(StorageError) {
            return try sealer.resealed(value, column: "value", place: places.old, by: next, place: places.new)
        } catch .damaged {
            if damaged.contains(places.old) || next.opens(value, column: "value", place: places.old) { return nil }
            damaged.insert(places.new)
            return value
        }
    }
}
