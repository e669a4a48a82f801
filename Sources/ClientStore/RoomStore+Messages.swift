import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamStorage

/// Messages that others may need again, as they were numbered, until their time is over (H41).
extension RoomStore {
    func keep(_ message: NumberedMessage, until second: UInt64, of room: RoomID) throws(StorageError) {
        let key = try RoomRow.key(try place(of: room), message.number)
        try database.execute(
            """
            INSERT INTO room_messages (place, until, value) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET until = excluded.until, value = excluded.value
            """,
            key,
            Int64(clamping: second),
            try RoomStore.sealed(message.storedForm, by: keys.messages, .integer(key))
        )
    }

    /// The messages of a room that are kept behind a number, ascending: what `Effect.readKept` asks for. What does not open is
    /// not among them: others may have it.
    public func kept(of room: RoomID, after number: UInt64) throws(StorageError) -> [NumberedMessage] {
        guard let place = places[room], number < LogPage.highestNumber else { return [] }
        return try database.rows(
            "SELECT place, value FROM room_messages WHERE place > ? AND place <= ? ORDER BY place",
            try RoomRow.key(place, number),
            try RoomRow.keys(place).upperBound
        ) { row throws(StorageError) in
            let key = try row.int64(0)
            return RoomStore.opened(try row.data(1), by: self.keys.messages, .integer(key))
        }.compactMap { value in value.flatMap { try? NumberedMessage(storedForm: $0) } }
    }

    /// Forgets the messages whose time is over: once an hour is often enough.
    ///
    /// - Parameter second: now, in seconds since 1970.
    public func forgetKept(at second: UInt64) throws(StorageError) {
        let now = Int64(clamping: second)
        let isDue = try database.first("SELECT 1 FROM room_messages WHERE until < ? LIMIT 1", now) {
            row throws(StorageError) in try row.int(0)
        }
        guard isDue != nil else { return }
        try database.execute("DELETE FROM room_messages WHERE until < ?", now)
        noteRemains()
    }
}
