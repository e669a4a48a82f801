import MildamContent
import MildamIdentity
import MildamRoomRules

/// A room of the first kind, as it ended: what an MLS room goes on from (H28). It is never written any more; its entries are read
/// elsewhere.
public struct OlderRoom: Hashable, Sendable {
    /// Somebody who was in it.
    public struct Member: Hashable, Sendable {
        /// The account.
        public let account: AccountID
        /// Its identity, as the person who continues the room knows it.
        public let identity: RoomIdentity
        /// What it is to be allowed.
        public let role: RoomRole

        /// A member.
        public init(account: AccountID, identity: RoomIdentity, role: RoomRole = .member) {
            self.account = account
            self.identity = identity
            self.role = role
        }
    }

    /// The room, and how far it went.
    public let end: ContinuedRoom
    /// What it is called.
    public let info: RoomInfo
    /// Who was in it; who continues it may be among them.
    public let members: [Member]
    /// What members are to be allowed.
    public let policy: RoomPolicyBits

    /// A room as it ended.
    public init(end: ContinuedRoom, info: RoomInfo, members: [Member], policy: RoomPolicyBits = [.membersInvite]) {
        self.end = end
        self.info = info
        self.members = members
        self.policy = policy
    }
}

/// A room of the first kind, and how far it went.
public struct ContinuedRoom: Hashable, Sendable {
    /// The room.
    public let room: RoomID
    /// Its last number.
    public let lastNumber: UInt64
    /// The running hash up to that, 32 bytes.
    public let runningHash: [UInt8]

    /// The end of a room; `nil` unless the hash has 32 bytes.
    public init?(room: RoomID, lastNumber: UInt64, runningHash: [UInt8]) {
        guard runningHash.count == PreviousGroup.hashSize else { return nil }
        self.room = room
        self.lastNumber = lastNumber
        self.runningHash = runningHash
    }

    /// As the new room's group has it.
    var previous: PreviousGroup {
        PreviousGroup(room: room, lastNumber: lastNumber, runningHash: runningHash)
    }

    /// What a group says was before; `nil` for a group of MLS.
    init?(_ previous: PreviousGroup) {
        guard previous.kind == .groupKey, let room = try? RoomID(bytes: previous.group) else { return nil }
        self.init(room: room, lastNumber: previous.position, runningHash: previous.hash)
    }
}
