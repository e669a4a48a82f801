import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamStorage

/// Messages that others may need again, as they were numbered, until their time is over (H41).
extension RoomStore {
    func keep(_ message: NumberedMessage, until second: UInt64, of room: RoomID) throws(StorageError) {
        let key = try NumberedRow.key(try place(of: room), message.number)
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
            try NumberedRow.key(place, number),
            try NumberedRow.keys(place).upperBound
        ) { row throws(StorageError) in
            let key = try row.int64(0)
            return RoomStore.opened(try row.data(1), by: self.keys.messages, .integer(key))
        }.compactMap { value in value.flatMap { try? NumberedMessage(storedForm: $0) } }
    }

    /// What this device had said under these numbers, of what is kept at a second since 1970: what `Effect.readLost` asks for. What
    /// does not open cannot be said again.
    public func lostWords(
        of room: RoomID,
        in numbers: [ClosedRange<UInt64>],
        keptAt second: UInt64
    ) throws(StorageError) -> LostWords {
        var words = LostWords()
        for range in numbers where range.lowerBound <= LogPage.highestNumber {
            guard try look(through: range, of: room, keptAt: second, &words) else { break }
            words.end(range)
        }
        for message in words.messages {
            let found = try entries(of: room, in: [message.number...message.number])
            words.entries += found.filter { $0.id == message.id }
        }
        return words
    }

    /// - Returns: whether it was looked through to its end.
    private func look(
        through range: ClosedRange<UInt64>,
        of room: RoomID,
        keptAt second: UInt64,
        _ words: inout LostWords
    ) throws(StorageError) -> Bool {
        guard let place = places[room] else { return true }
        var isWhole = true
        try database.forEach(
            "SELECT place, value FROM room_messages WHERE place BETWEEN ? AND ? AND until >= ? ORDER BY place",
            try NumberedRow.key(place, range.lowerBound),
            try NumberedRow.key(place, min(range.upperBound, LogPage.highestNumber)),
            Int64(clamping: second)
        ) { row throws(StorageError) in
            let key = try row.int64(0)
            let value = RoomStore.opened(try row.data(1), by: self.keys.messages, .integer(key))
            guard let message = value.flatMap({ try? NumberedMessage(storedForm: $0) }), message.kind == .application
            else { return true }
            isWhole = words.take(message, in: range)
            return isWhole
        }
        return isWhole
    }

    /// Keeps messages no longer.
    func release(_ numbers: [UInt64], of room: RoomID) throws(StorageError) {
        guard let place = places[room] else { return }
        for number in numbers {
            try database.execute("DELETE FROM room_messages WHERE place = ?", try NumberedRow.key(place, number))
        }
        noteRemains()
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
