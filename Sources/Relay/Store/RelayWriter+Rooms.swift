import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
    /// Makes a room with one member; a retry by the same account gets the room as it is by now.
    func createRoom(_ id: RoomID, by sender: Sender) throws(StorageError) -> Result<RoomState, APIError> {
        if let room = try room(id) {
            guard room.creator == sender.account else {
                return .failure(APIError(.roomTaken, "the room's id is taken"))
            }
            guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
            return .success(state)
        }
        // A token may outlive its account by some minutes.
        guard try exists(sender.account) else { return .failure(.sessionIsOver) }
        let made: Int? = try database.first("SELECT count(*) FROM rooms WHERE creator = ?", sender.account.column) {
            row throws(StorageError) in try row.int(0)
        }
        guard made ?? 0 < quota.accountRooms else {
            return .failure(APIError(.quotaExceeded, "this account has made all of the rooms that it may"))
        }
        let room = Room(id: id, creator: sender.account, members: [sender.account: 1])
        try database.execute(
            "INSERT INTO rooms (room, creator, generation, epoch, renewal_due, first, next) VALUES (?, ?, ?, ?, 0, ?, ?)",
            id.column,
            room.creator.column,
            Int64(room.generation),
            Int64(lookup: room.epoch),
            Int64(lookup: room.first),
            Int64(lookup: room.next)
        )
        try database.execute(
            "INSERT INTO members (room, account, since) VALUES (?, ?, 1)",
            id.column,
            sender.account.column
        )
        rooms[id] = room
        guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
        return .success(state)
    }
}

extension APIError {
    static let notAMember = APIError(.notAMember, "this account is not a member of the room")
    static let unknownRoom = APIError(.unknownRoom, "there is no such room")
}
