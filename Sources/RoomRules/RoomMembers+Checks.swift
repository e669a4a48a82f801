import MildamIdentity
import MildamMLS

/// What counts in a room, by bytes and state alone (H1): relay and clients ask the same.
extension RoomMembers {
    /// Whether a commit counts.
    ///
    /// - Throws: a ``RoomRefusal`` with the first rule that it breaks.
    public func check(_ commit: RoomCommit) throws(RoomRefusal) {
        let review = try RoomCommitReview(of: commit, in: self)
        try review.checkKinds()
        try review.checkExternalCommitter()
        try review.checkRoom()
        try review.checkEntrants()
        try review.checkRemovals()
        try review.checkSeats()
        try review.checkLists()
        try review.checkLeavings()
        try review.checkRoles()
        try review.checkLimits()
    }

    /// Whether a group is the one of a room that somebody is to join.
    ///
    /// - Parameters:
    ///   - generation: the generation that it is shown for.
    ///   - seen: the highest generation that was seen of the room; `nil` for none.
    /// - Throws: a ``RoomRefusal``.
    public func check(asGroupOf id: RoomID, generation: UInt64, seen: UInt64?) throws(RoomRefusal) {
        try require(.joinedGroupIsOfRoom, room.room == id && room.generation == generation)
        try require(.generationIsNotBelowSeen, seen.map { $0 <= room.generation } ?? true)
        try require(.roomIsRequiredOfMembers, RoomExtension.isRequired(in: extensions))
        let everybody = accounts
        try require(.selfRoomHasOneAccount, !room.policy.contains(.isSelf) || everybody.count <= 1)
        try require(.leavesAreBounded, leaves.count <= RoomLimits.leaves)
        try require(.accountsAreBounded, everybody.count <= RoomLimits.accounts)
        try require(.devicesAreBounded, everybody.allSatisfy { leaves(of: $0).count <= RoomLimits.devices })
    }
}
