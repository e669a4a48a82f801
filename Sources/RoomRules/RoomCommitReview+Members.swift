import MildamIdentity
import MildamMLS

/// Who may bring in and put out whom (H2, H3, H5, H6, H8).
extension RoomCommitReview {
    /// The kinds of proposals.
    func checkKinds() throws(RoomRefusal) {
        for entry in commit.entries {
            let isSelfRemove = if case .selfRemove = entry.change { true } else { false }
            try require(.othersProposalsAreSelfRemoves, isSelfRemove || !entry.isByReference)
            try require(.proposalIsOfAllowedKind, entry.change != .other)
        }
    }

    /// Who comes in from outside.
    func checkExternalCommitter() throws(RoomRefusal) {
        guard isExternal else { return }
        try require(.externalCommitterIsMember, before.contains(author.account))
        try require(.externalCommitReplacesOwnLeaf, removed.allSatisfy { $0.client == author.client })
        let evidence = evidence(about: author.account)
        try require(.externalCommitShowsList, evidence?.names(author) ?? false)
        // Keys that were replaced do not come back, whoever has a copy of them.
        try require(.externalCommitFollowsLeaf, removed.allSatisfy { evidence?.follows($0) ?? false })
    }

    /// Leaves and accounts that come in.
    func checkEntrants() throws(RoomRefusal) {
        for leaf in entrants {
            let evidence = evidence(about: leaf.account)
            try require(.entrantHasAccountsIdentity, evidence?.identities.contains(leaf.identity) ?? false)
            try require(.deviceHasOneLeaf, leavesAfter(of: leaf) == 1)
            if before.contains(leaf.account), leaf.account != author.account {
                try require(.addToAccountShowsList, evidence?.names(leaf) ?? false)
            }
            if let written = before.room.lists[leaf.account] {
                let isAsNew = evidence?.version.map { $0 >= written } ?? false
                try require(.listIsAsNewAsWritten, isAsNew && evidence?.names(leaf) ?? false)
            }
        }
        if let leaf = commit.pathLeaf, !isExternal {
            let identities = evidence(about: author.account)?.identities ?? []
            let isKnown = leaf.identity == author.identity || identities.contains(leaf.identity)
            try require(.entrantHasAccountsIdentity, isKnown)
        }
        if !newcomers.isEmpty { try require(.inviterMayInvite, before.mayInvite(author.account)) }
        if before.room.policy.contains(.isSelf) || room.policy.contains(.isSelf) {
            try require(.selfRoomHasOneAccount, newcomers.isEmpty)
        }
    }

    /// How many leaves a device has afterwards.
    private func leavesAfter(of leaf: RoomLeaf) -> Int {
        (before.leaves(of: leaf.account) + entrants).count { $0.client == leaf.client }
            - (removed + departed).count { $0.client == leaf.client }
    }

    /// Leaves and accounts that go.
    func checkRemovals() throws(RoomRefusal) {
        for account in losers where account != author.account {
            let evidence = evidence(about: account)
            let leaves = removed.filter { $0.account == account }
            let isRight = before.mayRemove(account, by: author.account)
            let isRevoked = leaves.allSatisfy { evidence?.revokes($0) ?? false }
            if isMemberAfter(account) {
                try require(.leafRemovalIsJustified, isRight || isRevoked)
                continue
            }
            // Who leaves by themselves is put out by nobody.
            let leavesAlone = leaves.isEmpty && departed.contains { $0.account == account }
            let isJustified = isRight || leavesAlone || evidence?.isLeaving ?? false
            if isRevoked, !leaves.isEmpty {
                try require(.lastLeafLeavesSeat, isJustified)
            } else {
                try require(.removerMayRemove, isJustified)
            }
        }
    }

    /// Seats that are new, or have another identity.
    func checkSeats() throws(RoomRefusal) {
        for account in changedSeats {
            guard let seat = room.seats[account] else { continue }
            let evidence = evidence(about: account)
            let isTheirs =
                before.contains(account)
                ? evidence?.identities.contains(seat.identity) ?? false : newcomersIdentity(account) == seat.identity
            let isNeeded = leavesAfter(account) == 0 && !departed.contains { $0.account == account }
            try require(.seatHasAccountsIdentity, isTheirs)
            try require(.seatIsNeeded, isNeeded)
        }
    }
}
