import FoundationEssentials
import MildamIdentity
import MildamStorage

extension ClientStore {
    /// Stores what came of a room's message.
    func put(_ entry: RoomEntry, in room: RoomID) throws(MessengerError) {
        let key = blinded("entries", room.bytes)
        let value = try encode(entry)
        do {
            let number = Int64(clamping: entry.number)
            let sealed = try keys.entries.seal(value, column: "value", row: .bytes(key), .integer(number))
            try database.execute(
                "INSERT OR REPLACE INTO entries (room, number, value) VALUES (?, ?, ?)",
                key,
                number,
                sealed
            )
        } catch {
            throw .storage(error)
        }
    }

    /// A room's entries from a number on, ascending.
    func entries(of room: RoomID, from number: UInt64) throws(MessengerError) -> [RoomEntry] {
        let key = blinded("entries", room.bytes)
        var found: [(number: Int64, value: Data)] = []
        do {
            found = try database.rows(
                "SELECT number, value FROM entries WHERE room = ? AND number >= ? ORDER BY number",
                key,
                Int64(clamping: number)
            ) { row throws(StorageError) in (try row.int64(0), try row.data(1)) }
        } catch {
            throw .storage(error)
        }
        var entries: [RoomEntry] = []
        for (number, sealed) in found { entries.append(try entry(sealed, key, number)) }
        return entries
    }

    /// One entry.
    func entry(of room: RoomID, number: UInt64) throws(MessengerError) -> RoomEntry? {
        let key = blinded("entries", room.bytes)
        let sealed: Data?
        do {
            sealed = try database.first(
                "SELECT value FROM entries WHERE room = ? AND number = ?",
                key,
                Int64(clamping: number)
            ) { row throws(StorageError) in try row.data(0) }
        } catch {
            throw .storage(error)
        }
        return try sealed.map { (sealed) throws(MessengerError) in
            try entry(sealed, key, Int64(clamping: number))
        }
    }

    private func entry(_ sealed: Data, _ room: [UInt8], _ number: Int64) throws(MessengerError) -> RoomEntry {
        do {
            return try decode(
                try keys.entries.open(sealed, column: "value", row: .bytes(room), .integer(number))
            )
        } catch {
            throw MessengerError(error)
        }
    }
}
