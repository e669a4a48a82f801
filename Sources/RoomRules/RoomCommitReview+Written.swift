import MildamIdentity

/// What is written down when somebody is put out, so that nothing older counts after it (H6, H8). Who comes in from outside
/// cannot write, and puts nobody out.
extension RoomCommitReview {
    /// How new the lists are that leaves were removed by.
    func checkLists() throws(RoomRefusal) {
        for account in Set(removed.map(\.account)) where !isExternal {
            guard let version = revokingVersion(account) else { continue }
            let written = before.room.lists[account].map { max($0, version) } ?? version
            try require(.removalByListIsWritten, room.lists[account] == written)
        }
        for account in Set(before.room.lists.keys).union(room.lists.keys) {
            guard let version = room.lists[account], version != before.room.lists[account] else {
                try require(.listVersionsFollowRemovals, before.room.lists[account] == room.lists[account])
                continue
            }
            let isNewer = before.room.lists[account].map { $0 < version } ?? true
            try require(.listVersionsFollowRemovals, isNewer && revokingVersion(account) == version)
        }
    }

    /// How new the list of an account is by which a leaf of it is removed here; `nil` where none is.
    private func revokingVersion(_ account: AccountID) -> ListVersion? {
        guard let evidence = evidence(about: account),
            removed.contains(where: { $0.account == account && evidence.revokes($0) })
        else { return nil }
        return evidence.version
    }

    /// The epochs of Leavings by which accounts were put out.
    func checkLeavings() throws(RoomRefusal) {
        for account in losers where !isExternal {
            guard let epoch = leavingEpoch(account) else { continue }
            try require(.removalByLeavingIsWritten, room.leavings[account] == epoch)
        }
        for account in Set(before.room.leavings.keys).union(room.leavings.keys) {
            let (old, new) = (before.room.leavings[account], room.leavings[account])
            guard old != new else { continue }
            try require(.leavingsFollowRemovals, new != nil && new == leavingEpoch(account))
        }
    }

    /// The epoch of the Leaving by which an account is put out here; `nil` where it is not.
    private func leavingEpoch(_ account: AccountID) -> UInt64? {
        guard losers.contains(account), !isMemberAfter(account) else { return nil }
        return evidence(about: account)?.leavingEpoch
    }
}
