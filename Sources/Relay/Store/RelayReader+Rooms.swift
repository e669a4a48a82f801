import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayReader {
    /// A room as a member sees it.
    func room(_ id: RoomID, for account: AccountID) throws(StorageError) -> Result<RoomState, APIError> {
        try snapshot { () throws(StorageError) in
            guard let room = try Room(id, in: database) else { return .failure(.unknownRoom) }
            guard let state = room.state(for: account) else { return .failure(.notAMember) }
            return .success(state)
        }
    }

    /// Rooms that one answer holds.
    private static let roomsAtOnce = 100
    /// Once its rooms have so many members, it has enough.
    private static let membersAtOnce = 20_000

    /// The rooms that an account is a member of, ascending, as many as one answer holds.
    ///
    /// - Parameter start: the room after which to go on; `nil` at first.
    func rooms(of account: AccountID, after start: RoomID?) throws(StorageError) -> RoomList {
        try snapshot { () throws(StorageError) in
            let ids: [RoomID] = try database.rows(
                "SELECT room FROM members WHERE account = ? AND room > ? ORDER BY room LIMIT ?",
                account.column,
                start?.bytes ?? [],
                Self.roomsAtOnce
            ) { row throws(StorageError) in try row.identifier(0) }
            var rooms: [RoomState] = []
            var members = 0
            for id in ids where members < Self.membersAtOnce {
                guard let state = try Room(id, in: database)?.state(for: account) else { continue }
                rooms.append(state)
                members += state.members.count
            }
            return RoomList(rooms: rooms)
        }
    }

    /// The room's messages from a number on, as many as one answer holds.
    func messages(
        of room: RoomID,
        from number: UInt64,
        for account: AccountID
    ) throws(StorageError) -> Result<MessagePage, APIError> {
        try snapshot { () throws(StorageError) in
            let bounds: (first: UInt64, next: UInt64)? = try database.first(
                """
                SELECT max(rooms.first, members.since), rooms.next FROM rooms
                JOIN members ON members.room = rooms.room WHERE rooms.room = ? AND members.account = ?
                """,
                room.column,
                account.column
            ) { row throws(StorageError) in (try row.count(0), try row.count(1)) }
            guard let bounds else {
                if case .failure(let refusal) = try checkMember(account, of: room) { return .failure(refusal) }
                return .failure(.notAMember)
            }
            guard number >= bounds.first else {
                return .failure(APIError(.gone, "what lies below this number is gone", number: bounds.first))
            }
            let messages = try page(of: room, from: number)
            return .success(MessagePage(first: bounds.first, next: bounds.next, messages: messages))
        }
    }

    private func page(of room: RoomID, from number: UInt64) throws(StorageError) -> [RoomMessage] {
        var messages: [RoomMessage] = []
        var bytes = 0
        try database.forEach(
            """
            SELECT number, generation, epoch, kind, account, device, stored, body FROM messages
            WHERE room = ? AND number >= ? ORDER BY number LIMIT ?
            """,
            room.column,
            Int64(lookup: number),
            Limits.page
        ) { row throws(StorageError) in
            guard let kind = MessageKind(code: try row.int64(3)) else {
                throw .damaged(path: database.path, reason: "a message is of an unknown kind")
            }
            let body = try row.data(7)
            guard messages.isEmpty || bytes + body.count <= Limits.pageBytes else { return false }
            bytes += body.count
            messages.append(
                RoomMessage(
                    number: try row.count(0),
                    generation: try row.count(1),
                    epoch: try row.count(2),
                    kind: kind,
                    account: try row.identifier(4),
                    device: try row.identifier(5),
                    stored: try row.int64(6),
                    body: body
                )
            )
            return true
        }
        return messages
    }
}
