import MildamIdentity
import MildamStorage

/// What goes with time. Each call is a small part of the work, so that no send waits for the whole.
extension RelayWriter {
    /// Rooms that one call looks at.
    private static let roomsAtOnce = 50

    /// Drops messages that were stored before a moment, but for each room's last one, from which its numbers go on.
    ///
    /// - Parameter start: the id of the room after which to go on; empty at first.
    /// - Returns: where to go on next; `nil` when all rooms were seen.
    func dropMessages(storedBefore cutoff: Int64, after start: [UInt8]) throws(StorageError) -> [UInt8]? {
        let found: [RoomID] = try database.rows(
            "SELECT room FROM rooms WHERE room > ? AND first < next - 1 ORDER BY room LIMIT ?",
            start,
            Self.roomsAtOnce
        ) { row throws(StorageError) in try row.identifier(0) }
        var last = start
        for id in found {
            // Where there is more of a room, it is looked at again.
            if try dropMessages(of: id, storedBefore: cutoff) { return last }
            last = id.bytes
        }
        return found.count < Self.roomsAtOnce ? nil : last
    }

    /// - Returns: whether there may be more to drop.
    private func dropMessages(of id: RoomID, storedBefore cutoff: Int64) throws(StorageError) -> Bool {
        guard var room = try room(id), room.first < room.next - 1 else { return false }
        var portion = Portion()
        try database.forEach(
            "SELECT number, length(body), stored FROM messages WHERE room = ? AND number >= ? ORDER BY number LIMIT ?",
            id.column,
            Int64(lookup: room.first),
            Portion.maxRows
        ) { row throws(StorageError) in
            guard try row.int64(2) < cutoff, try row.count(0) < room.next - 1 else { return false }
            return try portion.take(row)
        }
        guard let last = portion.last else { return false }
        try database.execute(
            "DELETE FROM messages WHERE room = ? AND number <= ?",
            id.column,
            Int64(lookup: last)
        )
        room.first = last + 1
        room.bytes = max(0, room.bytes - portion.bytes)
        try database.execute(
            "UPDATE rooms SET first = ?, bytes = ? WHERE room = ?",
            Int64(lookup: room.first),
            room.bytes,
            id.column
        )
        rooms[id] = room
        hasDeleted = true
        return portion.isFull
    }

    /// Drops whole blobs that were stored before a moment.
    ///
    /// - Returns: whether there may be more to drop.
    func dropBlobs(storedBefore cutoff: Int64) throws(StorageError) -> Bool {
        try dropBlobs("SELECT room, blob FROM blobs WHERE received = size AND stored < ? LIMIT ?", cutoff)
    }

    /// Drops blobs that are not whole and whose last piece came before a moment.
    ///
    /// - Returns: whether there may be more to drop.
    func dropUnfinishedBlobs(before cutoff: Int64) throws(StorageError) -> Bool {
        try dropBlobs("SELECT room, blob FROM blobs WHERE received < size AND stored < ? LIMIT ?", cutoff)
    }

    private func dropBlobs(_ query: StaticString, _ cutoff: Int64) throws(StorageError) -> Bool {
        let found: [(room: RoomID, blob: BlobID)] = try database.rows(query, cutoff, Self.blobsAtOnce) {
            row throws(StorageError) in (try row.identifier(0), try row.identifier(1))
        }
        let dropped = Dictionary(grouping: found, by: \.room).mapValues { $0.map(\.blob) }
        for (room, blobs) in dropped { try delete(blobs, of: room) }
        return found.count == Self.blobsAtOnce
    }
}
