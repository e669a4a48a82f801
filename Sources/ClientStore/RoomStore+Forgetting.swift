import MildamClientCore
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamStorage

/// Forgetting a room: no row of it stays.
extension RoomStore {
    /// Nothing more is stored: the write-ahead log goes into the database, unless somebody reads an older state just now.
    public func rest() { try? database.truncateWAL(patience: 200) }

    /// Deletes everything that is stored of a room, its groups too.
    ///
    /// - Parameter room: as it was stored last: it names its groups.
    func forget(_ room: RoomCore) throws(StorageError) {
        guard let place = places[room.room] else { return }
        let range = try NumberedRow.keys(place)
        let (first, last) = (range.lowerBound, range.upperBound)
        try database.execute("DELETE FROM room_states WHERE place = ?", place)
        try database.execute("DELETE FROM room_outlines WHERE room = ?", place)
        try database.execute("DELETE FROM room_welcomes WHERE room = ?", place)
        try database.execute("DELETE FROM room_intents WHERE room = ?", place)
        try database.execute("DELETE FROM room_positions WHERE room = ?", place)
        try database.execute("DELETE FROM room_history WHERE place BETWEEN ? AND ?", first, last)
        try database.execute("DELETE FROM room_entries WHERE place BETWEEN ? AND ?", first, last)
        try database.execute("DELETE FROM room_messages WHERE place BETWEEN ? AND ?", first, last)
        if let group = room.storedOutline?.groupID { try groups.delete(group) }
        for waiting in [room.joiningGroup, room.renewingGroup] {
            if let waiting { try waitingGroups.delete(waiting.publicGroup.context.groupID) }
        }
        noteGone(room.room)
    }
}
