import MildamIdentity
import MildamMLS

/// What may change in a room beside its members (H4, H5, H25, H38).
extension RoomCommitReview {
    /// What binds the group to the room, and what members may do.
    func checkRoom() throws(RoomRefusal) {
        let old = before.room
        try require(.otherExtensionsStay, others(in: extensions) == others(in: before.extensions))
        try require(
            .groupStaysInItsRoom,
            room.room == old.room && room.generation == old.generation && room.previous == old.previous
        )
        try require(.selfRoomHasOneAccount, room.policy.contains(.isSelf) == old.policy.contains(.isSelf))
        if room.policy != old.policy {
            try require(.policyIsChangedByOwners, before.hasOwnersRights(author.account))
        }
        if room.timer != old.timer || room.infoDigest != old.infoDigest {
            try require(.descriptionIsChangedByRight, before.mayDescribe(author.account))
        }
    }

    private func others(in extensions: Extensions) -> [Extension] {
        extensions.list.filter { $0.type != RoomExtension.extensionType }
    }

    /// Who has which role afterwards. What was said of those who are gone means nothing, and may stay or go.
    func checkRoles() throws(RoomRefusal) {
        for account in Set(before.room.roles.keys).union(room.roles.keys) {
            let role = room.roles[account] ?? .member
            guard isMemberAfter(account) else {
                try require(.rolesAreOfMembers, role == .member || role == before.room.roles[account])
                continue
            }
            guard role != before.role(of: account) else { continue }
            try require(.rolesAreChangedByOwners, before.hasOwnersRights(author.account))
        }
    }

    /// How large the room is afterwards.
    func checkLimits() throws(RoomRefusal) {
        let adds = commit.entries.count { if case .add = $0.change { true } else { false } }
        try require(.addsAreBounded, adds <= RoomLimits.adds)
        let leaves = before.leaves.count + entrants.count - removed.count - departed.count
        try require(.leavesAreBounded, entrants.isEmpty || leaves <= RoomLimits.leaves)
        if !newcomers.isEmpty {
            let gone = losers.count { !isMemberAfter($0) }
            let accounts = before.accounts.count + newcomers.count - gone
            try require(.accountsAreBounded, accounts <= RoomLimits.accounts)
        }
        for account in Set(entrants.map(\.account)) {
            try require(.devicesAreBounded, leavesAfter(account) <= RoomLimits.devices)
        }
    }
}
