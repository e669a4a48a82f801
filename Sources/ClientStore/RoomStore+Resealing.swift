import FoundationEssentials
import MildamClientCore
import MildamCrypto
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamStorage
import MildamWire

/// The rows under another root key.
extension RoomStore {
    /// Rows that are read at a time.
    private static let portion = 500

    /// Seals all rows anew that lie under an earlier root key, in a transaction of the caller's. What does not open stays as it is,
    /// and is damaged. ``eraseRemains(patience:)`` is due then.
    public static func reseal(
        _ database: Database,
        from earlier: SymmetricKey,
        to rootKey: SymmetricKey
    ) throws(StorageError) {
        let old = try RoomStore(database: database, rootKey: earlier)
        let new = try RoomStore(database: database, rootKey: rootKey)
        try new.takeOver(from: old)
    }

    private func takeOver(from old: RoomStore) throws(StorageError) {
        try move(
            "SELECT place, room FROM room_states WHERE place > ? ORDER BY place LIMIT ?",
            "UPDATE room_states SET room = ? WHERE place = ?",
            old.keys.names,
            keys.names
        )
        try move(
            "SELECT place, value FROM room_states WHERE place > ? ORDER BY place LIMIT ?",
            "UPDATE room_states SET value = ? WHERE place = ?",
            old.keys.states,
            keys.states
        )
        try move(
            "SELECT room, value FROM room_outlines WHERE room > ? ORDER BY room LIMIT ?",
            "UPDATE room_outlines SET value = ? WHERE room = ?",
            old.keys.outlines,
            keys.outlines
        )
        try move(
            "SELECT room, value FROM room_welcomes WHERE room > ? ORDER BY room LIMIT ?",
            "UPDATE room_welcomes SET value = ? WHERE room = ?",
            old.keys.welcomes,
            keys.welcomes
        )
        try move(
            "SELECT place, value FROM room_history WHERE place > ? ORDER BY place LIMIT ?",
            "UPDATE room_history SET value = ? WHERE place = ?",
            old.keys.history,
            keys.history
        )
        try move(
            "SELECT place, value FROM room_entries WHERE place > ? ORDER BY place LIMIT ?",
            "UPDATE room_entries SET value = ? WHERE place = ?",
            old.keys.entries,
            keys.entries
        )
        try move(
            "SELECT room, value FROM room_positions WHERE room > ? ORDER BY room LIMIT ?",
            "UPDATE room_positions SET value = ? WHERE room = ?",
            old.keys.positions,
            keys.positions
        )
        try move(
            "SELECT place, value FROM room_messages WHERE place > ? ORDER BY place LIMIT ?",
            "UPDATE room_messages SET value = ? WHERE place = ?",
            old.keys.messages,
            keys.messages
        )
        try moveIntents(from: old)
        try moveKeyPackages(from: old)
        try groups.takeOver(from: old.groups)
        try waitingGroups.takeOver(from: old.waitingGroups)
    }

    /// Seals the values of a column anew, whose rows have a number.
    private func move(
        _ select: StaticString,
        _ update: StaticString,
        _ old: RowSealer,
        _ new: RowSealer
    ) throws(StorageError) {
        var last: Int64 = .min
        while true {
            let rows = try database.rows(select, last, RoomStore.portion) { row throws(StorageError) in
                (try row.int64(0), try row.data(1))
            }
            for (key, value) in rows {
                last = key
                guard let next = try moved(value, old, .integer(key), new, .integer(key)) else { continue }
                try database.execute(update, next, key)
            }
            if rows.isEmpty { return }
        }
    }

    /// The value under the new key; `nil` where it does not open.
    private func moved(
        _ value: Data,
        _ old: RowSealer,
        _ place: RowSealer.KeyPart,
        _ new: RowSealer,
        _ next: RowSealer.KeyPart
    ) throws(StorageError) -> Data? {
        do throws(StorageError) {
            return try old.resealed(value, column: "value", place: [place], by: new, place: [next])
        } catch .damaged {
            return nil
        }
    }

    private func moveIntents(from old: RoomStore) throws(StorageError) {
        let rooms = Dictionary(old.places.map { ($0.value, $0.key) }) { $1 }
        let rows = try database.rows("SELECT turn, room, name, value FROM room_intents ORDER BY turn") {
            row throws(StorageError) in
            (try row.int64(0), try row.int64(1), try row.bytes(2), try row.data(3))
        }
        for (turn, place, name, value) in rows {
            // A wish begins with its id.
            guard let room = rooms[place], let opened = RoomStore.opened(value, by: old.keys.intents, .bytes(name)),
                let id = try? MessageID(bytes: Array(opened.prefix(16)))
            else { continue }
            let next = keys.name(of: id, in: room)
            guard let moved = try self.moved(value, old.keys.intents, .bytes(name), keys.intents, .bytes(next)) else {
                continue
            }
            try database.execute("UPDATE room_intents SET name = ?, value = ? WHERE turn = ?", next, moved, turn)
        }
    }

    private func moveKeyPackages(from old: RoomStore) throws(StorageError) {
        let rows = try database.rows("SELECT turn, name, value FROM key_packages ORDER BY turn") {
            row throws(StorageError) in (try row.int64(0), try row.bytes(1), try row.data(2))
        }
        for (turn, name, value) in rows {
            guard var opened = RoomStore.opened(value, by: old.keys.keyPackages, .bytes(name)) else { continue }
            defer { opened.wipe() }
            guard let (held, _) = try? RoomStore.keyPackage(opened) else { continue }
            let next = keys.name(ofKeyPackage: held.bundle.keyPackage.wireBytes)
            guard let moved = try self.moved(value, old.keys.keyPackages, .bytes(name), keys.keyPackages, .bytes(next))
            else { continue }
            try database.execute("UPDATE key_packages SET name = ?, value = ? WHERE turn = ?", next, moved, turn)
        }
    }
}

/// Looking at every row.
extension RoomStore {
    /// Opens each sealed value.
    ///
    /// - Returns: how many there are, and how many of them do not open.
    public func examine() throws(StorageError) -> (count: Int, damaged: Int) {
        var opened = try self.opened("SELECT place, room FROM room_states", keys.names)
        opened += try self.opened("SELECT place, value FROM room_states", keys.states)
        opened += try self.opened("SELECT room, value FROM room_outlines", keys.outlines)
        opened += try self.opened("SELECT room, value FROM room_welcomes", keys.welcomes)
        opened += try self.opened("SELECT place, value FROM room_history", keys.history)
        opened += try self.opened("SELECT place, value FROM room_entries", keys.entries)
        opened += try self.opened("SELECT room, value FROM room_positions", keys.positions)
        opened += try self.opened("SELECT place, value FROM room_messages", keys.messages)
        opened += try openedByName("SELECT name, value FROM room_intents", keys.intents)
        opened += try openedByName("SELECT name, value FROM key_packages", keys.keyPackages)
        // Both stores have their rows in the same tables, and each opens its own alone.
        let (present, waiting) = (try groups.examine(), try waitingGroups.examine())
        let damaged = max(0, present.damaged + waiting.damaged - present.count)
        return (opened.count + present.count, opened.count { !$0 } + damaged)
    }

    private func opened(_ sql: StaticString, _ sealer: RowSealer) throws(StorageError) -> [Bool] {
        try database.rows(sql) { row throws(StorageError) in
            sealer.opens(try row.data(1), column: "value", place: [.integer(try row.int64(0))])
        }
    }

    private func openedByName(_ sql: StaticString, _ sealer: RowSealer) throws(StorageError) -> [Bool] {
        try database.rows(sql) { row throws(StorageError) in
            sealer.opens(try row.data(1), column: "value", place: [.bytes(try row.bytes(0))])
        }
    }
}
