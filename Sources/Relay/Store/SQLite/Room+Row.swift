import MildamIdentity
import MildamStorage

extension Room {
    /// Reads a room and its members; `nil` when there is none.
    init?(_ id: RoomID, in database: Database) throws(StorageError) {
        let row: (room: Room, isGroup: Bool)? = try database.first(
            """
            SELECT creator, generation, epoch, renewal_due, first, next, bytes, is_group, shown FROM rooms WHERE room = ?
            """,
            id.column
        ) { row throws(StorageError) in
            let room = Room(
                id: id,
                creator: try row.identifier(0),
                generation: try row.count(1),
                epoch: try row.count(2),
                renewalDue: try row.int(3) != 0,
                first: try row.count(4),
                next: try row.count(5),
                shown: try row.count(8),
                bytes: try row.int(6),
                members: [:]
            )
            return (room, try row.int(7) != 0)
        }
        guard let row else { return nil }
        guard row.room.first >= 1, row.room.next >= row.room.first else {
            throw .damaged(path: database.path, reason: "a room's numbers contradict each other")
        }
        self = row.room
        if row.isGroup { group = try RoomGroup(of: id, generation, in: database) }
        try database.forEach("SELECT account, since, accepted FROM members WHERE room = ?", id.column) {
            row throws(StorageError) in
            let account: AccountID = try row.identifier(0)
            members[account] = try row.count(1)
            if try row.int(2) != 0 { accepted.insert(account) }
            return true
        }
    }
}
