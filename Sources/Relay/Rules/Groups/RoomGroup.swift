/// What the relay keeps of a room's MLS group beside the room: one row, written with each proposal and commit.
struct RoomGroup: Equatable, Sendable {
    /// The group's id.
    let id: [UInt8]
    /// The hash of the tree in the present epoch.
    var treeHash: [UInt8]
    /// The number of the last proposal or commit; 0 for none.
    var handshake: UInt64 = 0
    /// The number of the first proposal that waits for a commit; 0 for none.
    var due: UInt64 = 0
    /// How many members leave: those whose proposals wait. Whose account is no more is none of them.
    var pending = 0
    /// The commits since the last snapshot.
    var commits = 0
    /// The number of the commit that the last snapshot was made after; 0 for the one of the beginning.
    var snapshot: UInt64 = 0

    /// The first message that may be needed to follow the group from its last snapshot; `nil` where none is.
    var firstNeeded: UInt64? { handshake > snapshot ? snapshot + 1 : nil }

    /// A snapshot is made at each commit of this number.
    static let commitsPerSnapshot = 64

    /// Whether the next commit is one that a snapshot is made after.
    var wantsSnapshot: Bool { commits + 1 >= Self.commitsPerSnapshot }

    /// Whether there are commits that the last snapshot is followed by, and nobody waits to be let go.
    var wantsSnapshotToForget: Bool { handshake > snapshot && due == 0 }
}
