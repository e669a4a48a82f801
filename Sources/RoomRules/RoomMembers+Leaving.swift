import MildamMLS

/// What a relay asks of commits while somebody leaves (H6). A client never does: it may not know of every proposal (H1).
extension RoomMembers {
    /// Whether the member at a leaf may leave by a SelfRemove: it is the account's only leaf, and the account has no seat.
    ///
    /// - Throws: a ``RoomRefusal``.
    public func check(leavingAt index: LeafIndex) throws(RoomRefusal) {
        let account = leaves[index]?.account
        let isOnly = account.map { leaves(of: $0).count == 1 && room.seats[$0] == nil } ?? false
        try require(.selfRemoveIsOfOnlyLeaf, isOnly)
    }

    /// Whether a commit does what is due: it names every SelfRemove that waits, and nobody takes such a leaf's place.
    ///
    /// - Throws: a ``RoomRefusal``.
    public func check(_ commit: RoomCommit, whileLeaving waiting: Set<LeafIndex>) throws(RoomRefusal) {
        try require(.selfRemovesAreAllNamed, waiting.isSubset(of: commit.selfRemoves))
        guard commit.committer == .newMember else { return }
        let isReplacement = commit.entries.contains {
            if case .remove(let leaf) = $0.change { waiting.contains(leaf) } else { false }
        }
        try require(.leaverIsNotReplaced, !isReplacement)
    }
}
