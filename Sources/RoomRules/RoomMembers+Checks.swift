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
        try review.checkRoles()
        try review.checkLimits()
    }

    /// Whether a proposal that stands alone counts.
    ///
    /// - Throws: a ``RoomRefusal``.
    public func check(lone change: RoomCommit.Change, authenticatedData: [UInt8]) throws(RoomRefusal) {
        let isSelfRemove = if case .selfRemove = change { true } else { false }
        try require(.loneProposalIsSelfRemove, isSelfRemove)
        try require(.selfRemoveIsMarked, authenticatedData == LeavingMark.bytes)
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
    }

    /// Whether this is the beginning of a room's next generation (H9).
    ///
    /// - Parameters:
    ///   - previous: the members of the generation before.
    ///   - context: that group's last context.
    /// - Throws: a ``RoomRefusal``.
    public func check(asGenerationAfter previous: RoomMembers, endingWith context: GroupContext) throws(RoomRefusal) {
        try require(.generationBeginsWithOneLeaf, leaves.count == 1)
        try require(
            .generationFollowsPrevious,
            room.room == previous.room.room && room.generation == previous.room.generation &+ 1
                && room.previous == PreviousGroup(endingWith: context)
        )
        try require(.generationIsBegunByRight, leaves.values.allSatisfy { previous.hasAdminsRights($0.account) })
        try require(
            .generationKeepsMembers,
            accounts == previous.accounts && accounts.allSatisfy { identity(of: $0) == previous.identity(of: $0) }
        )
        try require(
            .generationKeepsRoles,
            accounts.allSatisfy { role(of: $0) == previous.role(of: $0) } && room.policy == previous.room.policy
                && room.lists == previous.room.lists
        )
    }
}
