import MildamIdentity
import MildamRelayAPI

/// Makes a room that is an MLS group; a retry by the same account gets the room as it is by now.
struct CreateGroup: StoreOperation {
    let id: RoomID
    let sender: Sender
    let group: CheckedGroup
    /// Who may bring somebody in that does not know them.
    let policy: RequestPolicy

    var weight: Int { group.groupInfo.count + group.snapshot.count }
    var rows: Int { 5 + group.accounts.count }

    var prefetch: [FactKey] {
        let always: [FactKey] = [.room(id), .account(sender.account), .usage(sender.account)]
        return always + group.accounts.map { .account($0) }
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<RoomState, APIError> {
        if let room = try facts.room(id) {
            guard room.creator == sender.account, room.group != nil else {
                return .failure(APIError(.roomTaken, "the room's id is taken"))
            }
            guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
            return .success(state)
        }
        // A token may outlive its account by some minutes.
        guard try facts.account(sender.account)?.handle != nil else { return .failure(.sessionIsOver) }
        if let refusal = try facts.refusal(ofBringingIn: group.accounts, by: sender.account, asking: policy) {
            return .failure(refusal)
        }
        let usage = try facts.usage(of: sender.account)
        guard usage.disk.rooms < facts.quota.accountRooms else {
            return .failure(APIError(.quotaExceeded, "this account has made all of the rooms that it may"))
        }
        guard group.accounts.count <= facts.quota.roomMembers else {
            return .failure(APIError(.quotaExceeded, "a room has \(facts.quota.roomMembers) members at most"))
        }
        // The room, its group, its members, the GroupInfo and the snapshot.
        let needed =
            DiskUsage.room.bytes + (3 + group.accounts.count) * DiskUsage.row + Limits.groupInfo
            + group.snapshot.count
        if let refusal = try facts.refusal(of: needed, by: sender.account) { return .failure(refusal) }
        let room = made
        guard let state = room.state(for: sender.account) else { return .failure(.notAMember) }
        facts.make(room)
        facts.beginGroup(
            with: GroupChanges.Info(
                room: id,
                place: 0,
                generation: group.generation,
                epoch: 0,
                account: sender.account,
                externalPub: group.externalPub,
                bytes: group.groupInfo
            )
        )
        facts.append(
            GroupChanges.Snapshot(
                room: id,
                generation: group.generation,
                epoch: 0,
                number: 0,
                account: sender.account,
                bytes: group.snapshot
            )
        )
        return .success(state)
    }

    private var made: Room {
        Room(
            id: id,
            creator: sender.account,
            generation: group.generation,
            members: Dictionary(group.accounts.map { ($0, UInt64(1)) }) { first, _ in first },
            accepted: [sender.account],
            group: RoomGroup(id: group.groupID, treeHash: group.treeHash)
        )
    }
}
