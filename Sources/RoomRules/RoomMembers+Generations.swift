import MildamIdentity
import MildamMLS

/// The first group of a room, and those that follow (H4, H9, H28).
extension RoomMembers {
    /// The leaves of the tree with which a room or a generation begins, blank ones among them.
    public static let leavesAtBeginning = 1

    /// The members of a group that is to begin a room or a generation: its one leaf is all of its tree. One far to the right in
    /// a tree of blank nodes would have every relay and every client keep a place for each of these.
    ///
    /// - Throws: a ``RoomRefusal``.
    public init(beginning group: PublicGroup) throws(RoomRefusal) {
        try require(.generationBeginsWithOneLeaf, group.nodeCount == Self.leavesAtBeginning)
        for (_, leaf) in group.members { try leaf.checkSize() }
        try self.init(of: group)
    }

    /// Whether this is the beginning of a room: generation 0, after nothing or a room with one key per generation.
    ///
    /// - Throws: a ``RoomRefusal``.
    public func check(asFirstGroupOf id: RoomID) throws(RoomRefusal) {
        try check(asGroupOf: id, generation: 0, seen: nil)
        try require(.generationBeginsWithOneLeaf, leaves.count == 1)
        try require(.generationFollowsPrevious, room.previous?.kind != .group)
        // Nobody was put out yet: what is written down without that would keep people out.
        try require(.listVersionsFollowRemovals, room.lists.isEmpty)
        try require(.leavingsFollowRemovals, room.leavings.isEmpty)
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
        try require(.generationIsBegunByKnownDevice, leaves.values.allSatisfy { previous.knowsDevice(of: $0) })
        try require(
            .generationKeepsMembers,
            accounts == previous.accounts && accounts.allSatisfy { identity(of: $0) == previous.identity(of: $0) }
        )
        try require(
            .generationKeepsRoles,
            accounts.allSatisfy { role(of: $0) == previous.role(of: $0) } && room.policy == previous.room.policy
                && room.lists == previous.room.lists && room.leavings.isEmpty
        )
    }

    /// Whether a leaf is of a device that has one here, or of an account with a seat alone of which no list is written down:
    /// where one is, the device may be one that it no longer names.
    private func knowsDevice(of leaf: RoomLeaf) -> Bool {
        let own = leaves(of: leaf.account)
        return own.isEmpty ? room.lists[leaf.account] == nil : own.contains { $0.client == leaf.client }
    }
}
