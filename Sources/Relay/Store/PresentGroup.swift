import MildamIdentity
import MildamRelayAPI

/// A room's present group as a reader finds it.
struct PresentGroup: Equatable, Sendable {
    let generation: UInt32
    let epoch: UInt64
    let group: RoomGroup

    /// What a member is told.
    func state(with groupInfo: [UInt8]) -> RoomGroupState {
        RoomGroupState(
            generation: generation,
            groupID: group.id,
            epoch: epoch,
            treeHash: group.treeHash,
            handshake: group.handshake,
            due: group.due,
            groupInfo: groupInfo
        )
    }
}

/// A group as it was once.
struct StoredSnapshot: Equatable, Sendable {
    /// The number of the commit that it was made after.
    let number: UInt64
    let epoch: UInt64
    let bytes: [UInt8]
}

/// A proposal or a commit in a room's log.
struct StoredHandshake: Equatable, Sendable {
    let number: UInt64
    let generation: UInt32
    /// The epoch that it was sent in.
    let epoch: UInt64
    /// An MLSMessage, encoded.
    let message: [UInt8]
}
