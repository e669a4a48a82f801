import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// What the log of a room takes that is an MLS group, after its id was found to be new: one order for messages, proposals and
/// commits, and an epoch for each.
///
/// Pure. Whether a commit counts was found out before, against a state that is named with it: here that state is compared with the
/// room's.
enum GroupSendRules {
    /// The longest proposal that is taken whatever there is, in bytes: several times a SelfRemove.
    static let freeProposal = Limits.proposal
    /// The longest commit without anybody who comes in that a full room takes, and that may take from the reserve, in bytes.
    static let freeCommit = 1 << 17

    /// The room as it is once the message has got the number `room.next`, or why it is refused.
    static func judge(
        _ request: GroupSendRequest,
        _ checked: CheckedContent,
        by sender: AccountID,
        in room: Room?,
        _ quota: RelayQuota
    ) -> Result<Room, APIError> {
        Result { () throws(APIError) in
            guard var room else { throw .unknownRoom }
            guard var group = room.group else { throw .noGroup }
            guard room.members[sender] != nil else { throw .notAMember }
            guard isOfPresentEpoch(request, in: room) else { throw .overtaken(in: room) }
            let size = request.message.count
            guard isAlwaysTaken(checked, size) || room.bytes + size <= quota.roomBytes else {
                throw APIError(.quotaExceeded, "the room has all of the \(quota.roomBytes) bytes that it may have")
            }
            switch checked {
            case .application:
                do throws(RoomRefusal) {
                    try MessageEpoch.check(isSomebodyLeaving: group.due > 0)
                } catch {
                    throw .proposalsDue(from: group.due)
                }
            case .leaving(let handshake):
                // Nobody leaves twice: with each that waits the room has one account less.
                guard handshake == group.handshake else { throw .justChanged }
                if group.due == 0 { group.due = room.next }
                group.pending += 1
                group.handshake = room.next
            case .commit(let commit):
                guard commit.handshake == group.handshake else { throw .proposalsDue(from: group.due) }
                try take(commit, into: &room, &group, quota)
            }
            room.group = group
            if case .leaving = checked, room.isLeftByAll { room.close() }
            room.bytes += size
            room.next += 1
            return room
        }
    }

    /// Whether it is of the room's present epoch: a handshake message as much as something said (H11, H12).
    private static func isOfPresentEpoch(_ request: GroupSendRequest, in room: Room) -> Bool {
        do throws(RoomRefusal) {
            try MessageEpoch.check(
                generation: UInt64(request.generation),
                epoch: request.epoch,
                presentGeneration: UInt64(room.generation),
                presentEpoch: room.epoch
            )
            return true
        } catch {
            return false
        }
    }

    private static func take(
        _ commit: CheckedCommit,
        into room: inout Room,
        _ group: inout RoomGroup,
        _ quota: RelayQuota
    ) throws(APIError) {
        room.epoch += 1
        group.treeHash = commit.treeHash
        group.handshake = room.next
        group.due = 0
        group.pending = 0
        if commit.snapshot == nil {
            group.commits += 1
        } else {
            group.commits = 0
            group.snapshot = room.next
        }
        for account in commit.removed { _ = room.remove(account) }
        for account in commit.added where room.members[account] == nil { room.members[account] = room.next }
        guard commit.added.isEmpty || room.members.count <= quota.roomMembers else {
            throw APIError(.quotaExceeded, "a room has \(quota.roomMembers) members at most")
        }
    }

    /// Nobody is kept from leaving, from putting out or from new keys, whatever lies there.
    private static func isAlwaysTaken(_ checked: CheckedContent, _ size: Int) -> Bool {
        switch checked {
        case .application: false
        case .leaving: size <= freeProposal
        case .commit(let commit): commit.added.isEmpty && commit.welcomes.isEmpty && size <= freeCommit
        }
    }

    /// Out of what the bytes come that a message causes.
    static func allowance(of checked: CheckedContent, _ size: Int) -> Allowance {
        guard isAlwaysTaken(checked, size) else { return .ordinary }
        if case .leaving = checked { return .always }
        return .reserve
    }
}

extension APIError {
    static let noGroup = APIError(.badRequest, "the room is no MLS group")
    static let noGroupInfo = APIError(
        .unavailable,
        "the relay was put back, and has no GroupInfo of the room's epoch until a member puts one up; try again",
        number: 5
    )
    static let justChanged = APIError(.unavailable, "somebody else has just left the room; try again")

    /// A message is of an epoch, or of a generation, that is over.
    static func overtaken(in room: Room) -> APIError {
        APIError(.staleEpoch, "the room has gone on", generation: room.generation, epoch: room.epoch)
    }

    /// Somebody leaves, which the next commit has to name.
    static func proposalsDue(from number: UInt64) -> APIError {
        APIError(.proposalsDue, "somebody leaves the room: a commit that names it comes first", number: number)
    }
}
