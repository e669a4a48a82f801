import MildamIdentity
import MildamRelayAPI

/// A room as the rules see it.
struct Room: Equatable, Sendable {
    /// The room.
    let id: RoomID
    /// Who made it: only a retry of theirs may make it again.
    let creator: AccountID
    /// The generation that messages must be sealed under; the first is 1.
    var generation: UInt32 = 1
    /// The epoch; 0 in GroupKey rooms.
    var epoch: UInt64 = 0
    /// Whether somebody left, so that only a new generation, or another leaving, is taken.
    var renewalDue = false
    /// The first number still retained.
    var first: UInt64 = 1
    /// The number that the next message will get.
    var next: UInt64 = 1
    /// The highest number that a member has shown of what the relay lost, when it was put back; 0 for none.
    var shown: UInt64 = 0
    /// The bytes of all messages that are retained.
    var bytes = 0
    /// The members, and the first number that each may read.
    var members: [AccountID: UInt64]
    /// Those of the members who have accepted the room.
    var accepted: Set<AccountID> = []
    /// Its MLS group; `nil` for a room with one key per generation.
    var group: RoomGroup?

    /// Takes a member out.
    ///
    /// - Returns: whether it was one.
    mutating func remove(_ account: AccountID) -> Bool {
        accepted.remove(account)
        return members.removeValue(forKey: account) != nil
    }

    /// The first number that a member can read; `nil` for anybody else.
    func firstReadable(by account: AccountID) -> UInt64? {
        members[account].map { max($0, first) }
    }

    /// The room once an account is put out of it because it is no more: as after a leaving, but without a message. When
    /// nobody is left but those who leave, it closes.
    ///
    /// - Parameter wasLeaving: whether the account's own leaving waits for a commit.
    func without(_ account: AccountID, wasLeaving: Bool) -> Room {
        var room = self
        guard room.remove(account) else { return room }
        room.renewalDue = room.group == nil
        if wasLeaving { room.group?.pending -= 1 }
        if room.isLeftByAll { room.close() }
        return room
    }

    /// Whether every member leaves, so that nobody is left who could commit (H6).
    var isLeftByAll: Bool { (group?.pending ?? 0) >= members.count }

    /// Ends it: nobody is in it any more, and nothing that was said can be read.
    mutating func close() {
        members = [:]
        accepted = []
        first = next
        bytes = 0
    }

    /// What a member is told.
    func state(for account: AccountID) -> RoomState? {
        firstReadable(by: account).map { readable in
            RoomState(
                room: id,
                generation: generation,
                epoch: epoch,
                renewalDue: renewalDue,
                first: readable,
                next: next,
                members: members.keys.sorted(),
                isGroup: group == nil ? nil : true
            )
        }
    }
}

extension APIError {
    static let notAMember = APIError(.notAMember, "this account is not a member of the room")
    static let unknownRoom = APIError(.unknownRoom, "there is no such room")
}
