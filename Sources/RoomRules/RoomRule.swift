/// What relay and clients hold a room's groups, commits and messages against, each by its own name
/// (`Documentation/room-rules.md`). A relay says the name where it refuses.
public enum RoomRule: String, CaseIterable, Hashable, Sendable {
    // H2: the roster.

    /// A seat is the account's: it has the identity that its leaves had, or one that follows it.
    case seatHasAccountsIdentity
    /// Nobody is given a seat who keeps a leaf, or who leaves.
    case seatIsNeeded
    /// An account whose last leaf goes, and that is not put out, gets a seat.
    case lastLeafLeavesSeat

    // H3: credentials.

    /// A leaf's credential is a BasicCredential of a device.
    case credentialIsADevices
    /// No device has two leaves.
    case deviceHasOneLeaf
    /// A leaf or account that comes in has the identity that the room knows of it, or one that is proven to follow.
    case entrantHasAccountsIdentity
    /// A leaf's signature key is that of its device's record.
    case leafHasKeyOfRecord
    /// A device's record says what rooms need: it is of version 2.
    case recordIsOfVersion2
    /// A device's record is signed by the identity key beside it.
    case recordIsSignedByIdentity
    /// A leaf's new credential is of the same account and device.
    case successorIsSameDevice

    // H4: the group and the room.

    /// The group's context names a room, in a version that is known.
    case groupNamesItsRoom
    /// Room, generation and what was before are the same in each epoch of a group.
    case groupStaysInItsRoom
    /// The group is of the room and the generation that it is shown for.
    case joinedGroupIsOfRoom
    /// The generation is not below one that was seen.
    case generationIsNotBelowSeen
    /// The group asks of every member to know the room's extension and SelfRemove.
    case roomIsRequiredOfMembers

    // H5: who may commit what.

    /// Who commits is a device with a leaf.
    case committerHasLeaf
    /// What others proposed, and a commit names, are SelfRemoves.
    case othersProposalsAreSelfRemoves
    /// No commit has an Update, a pre-shared key, a ReInit, or a proposal that is not known.
    case proposalIsOfAllowedKind
    /// No extension but the room's changes.
    case otherExtensionsStay
    /// Who comes in from outside has a leaf or a seat.
    case externalCommitterIsMember
    /// Who comes in from outside takes out nothing but that same device's leaf.
    case externalCommitReplacesOwnLeaf
    /// Who comes in from outside shows a device list that names the device.
    case externalCommitShowsList
    /// Who comes in from outside in the place of its own leaf shows a list that is as new as that leaf's record.
    case externalCommitFollowsLeaf
    /// A leaf for somebody else's account, which is a member, comes with a device list that names it.
    case addToAccountShowsList
    /// Who brings an account in may.
    case inviterMayInvite
    /// Who puts an account out may, or shows that it leaves.
    case removerMayRemove
    /// A leaf of an account that stays goes by its own account, by a list that no longer names it, or by who may remove.
    case leafRemovalIsJustified
    /// Who changes roles may.
    case rolesAreChangedByOwners
    /// A role is given to members.
    case rolesAreOfMembers
    /// Who changes what members may do may.
    case policyIsChangedByOwners
    /// Who changes the room's information or its timer may.
    case descriptionIsChangedByRight

    // H6: leaving.

    /// A proposal that stands alone is a SelfRemove.
    case loneProposalIsSelfRemove
    /// A SelfRemove says that the account leaves.
    case selfRemoveIsMarked
    /// A SelfRemove is of an account's only leaf, and the account has no seat. A relay alone looks at this.
    case selfRemoveIsOfOnlyLeaf
    /// A commit names every SelfRemove that waits. A relay alone looks at this.
    case selfRemovesAreAllNamed
    /// Nobody comes in from outside in the place of a leaf that leaves. A relay alone looks at this.
    case leaverIsNotReplaced
    /// A removal by a Leaving writes down the epoch that it names.
    case removalByLeavingIsWritten
    /// The epoch of a Leaving is written down by a removal by that Leaving, and never falls or goes.
    case leavingsFollowRemovals

    // H7: inviting.

    /// An account that comes in has the identity that its own records say. A relay alone looks at this.
    case newcomerHasRecordedIdentity
    /// Who begins a group signs with the key that its account's records say it has. A relay alone looks at this.
    case beginnerHasRecordedKey

    // H8: evidence.

    /// A commit's authenticated data is 16 KiB at most.
    case reasonIsBounded
    /// A commit's authenticated data is a reason.
    case reasonIsReadable
    /// A removal by a list writes down how new the list is.
    case removalByListIsWritten
    /// How new a list is, is written down by a removal by that list, and never falls or goes.
    case listVersionsFollowRemovals
    /// A leaf of an account whose list is written down comes with a list that is as new.
    case listIsAsNewAsWritten

    // H9: generations.

    /// A new generation, and a room, begins with one leaf.
    case generationBeginsWithOneLeaf
    /// A new generation is of the same room, is the next, and names the group that it follows; the first follows none.
    case generationFollowsPrevious
    /// Who begins a new generation has an admin's rights in the one before.
    case generationIsBegunByRight
    /// Who begins a new generation has a leaf in the one before; or its account has none there, and no list of it is written down.
    case generationIsBegunByKnownDevice
    /// A new generation has the members of the one before, each as the room knows it.
    case generationKeepsMembers
    /// A new generation has the roles, the policy and the written lists of the one before.
    case generationKeepsRoles

    // H10 to H13: order and repair.

    /// While somebody leaves, no application message is taken. A relay alone looks at this.
    case messagesWaitForLeavers
    /// An application message is of the present epoch.
    case messageIsOfPresentEpoch
    /// An account whose commits others could not read commits once an hour.
    case blamedAccountCommitsHourly
    /// An account commits 20 times a minute at most, removals apart.
    case commitRateIsKept
    /// While a device that was overtaken twice sends, nobody else commits.
    case overtakenSenderGoesFirst
    /// A device comes back from outside after it has read the log to its end, and where no Welcome waits for it.
    case repairComesLast
    /// A device comes back from outside no more often than it may.
    case repairIsNotTooOften

    // H25: the self room.

    /// A self room has one account, and no room becomes one or ceases to be one.
    case selfRoomHasOneAccount

    // H27: the room's information.

    /// What somebody is told of a room is what the group's context has the digest of.
    case infoIsOfDigest

    // H26 and H36: senders.

    /// A message is of the device that it is shown for, or that asks a relay to take it.
    case senderIsDeviceOfLeaf

    // H38: limits.

    /// A room has 2,000 leaves at most.
    case leavesAreBounded
    /// A room has 1,000 accounts at most.
    case accountsAreBounded
    /// An account has 10 leaves at most.
    case devicesAreBounded
    /// A commit adds 100 leaves at most.
    case addsAreBounded
    /// A leaf that comes in has 1,536 bytes at most: everybody can fetch and read the tree that has it.
    case leafIsBounded
}
