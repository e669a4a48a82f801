import MildamIdentity
import MildamRelayAPI

/// Makes a room with one member; a retry by the same account gets the room as it is by now.
struct CreateRoom: StoreOperation {
    let id: RoomID
    let sender: Sender

    var prefetch: [FactKey] { [.room(id), .account(sender.account), .usage(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<RoomState, APIError> {
        if let room = try facts.room(id) {
            guard room.creator == sender.account else {
                return .failure(APIError(.roomTaken, "the room's id is taken"))
            }
            guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
            return .success(state)
        }
        // A token may outlive its account by some minutes.
        guard try facts.account(sender.account)?.handle != nil else { return .failure(.sessionIsOver) }
        let usage = try facts.usage(of: sender.account)
        guard usage.disk.rooms < facts.quota.accountRooms else {
            return .failure(APIError(.quotaExceeded, "this account has made all of the rooms that it may"))
        }
        // Its row, and its member's.
        let needed = DiskUsage.room.bytes + DiskUsage.row
        guard usage.disk.bytes + needed <= facts.quota.accountBytes else {
            return .failure(.accountIsFull(facts.quota))
        }
        guard try facts.networkHolds(needed, for: usage) else { return .failure(.networkIsFull) }
        let room = Room(id: id, creator: sender.account, members: [sender.account: 1], accepted: [sender.account])
        guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
        facts.make(room)
        return .success(state)
    }
}

extension APIError {
    static let notAMember = APIError(.notAMember, "this account is not a member of the room")
    static func accountIsFull(_ quota: RelayQuota) -> APIError {
        APIError(.quotaExceeded, "this account has all of the \(quota.accountBytes) bytes that it may have")
    }

    static let networkIsFull = APIError(
        .quotaExceeded,
        "the accounts that were made from this account's network have all that they may have together"
    )

    static let unknownRoom = APIError(.unknownRoom, "there is no such room")
}
