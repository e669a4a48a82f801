/// What a receiver has to check, each by its own name (`Documentation/mls-validation.md`).
public enum ValidationRule: String, CaseIterable, Hashable, Sendable {
    // Section 6: messages.

    /// Application data come in a PrivateMessage.
    case applicationDataIsEncrypted
    /// A member's PublicMessage has the membership tag.
    case membershipTagIsValid
    /// Padding is zeros.
    case paddingIsZero
    /// A commit's confirmation tag is that of the epoch it leads to.
    case confirmationTagIsValid
    /// Those who propose from outside send what they may.
    case externalProposalIsOfAllowedType
    /// Those who propose from outside are in the group's list.
    case externalSenderIsListed
    /// Those who are in that list send proposals only.
    case externalSendersPropose
    /// One who joins by a commit sends a commit.
    case newMemberCommits
    /// One who wants to be added proposes that.
    case newMemberProposesAdd
    /// A message is signed with its sender's key.
    case signatureIsValid
    /// A private message's sender is at a leaf that is not blank.
    case senderIsMember

    // Section 7: the tree.

    /// A path's leaf says that it comes from a commit.
    case commitLeafHasItsSource
    /// A path's leaf has the parent hash of the node above it.
    case commitLeafHasParentHash
    /// The keys of a path's nodes, and of parents in a tree, are keys of the suite, and none is of low order.
    case pathKeysAreValid
    /// The secret of a path's node gives the keys that the path publishes.
    case pathSecretGivesPublicKeys
    /// Nothing is above the root: in a tree that is joined, it has no parent hash (section 7.9).
    case rootHasNoParentHash
    /// A path has as many nodes as the committer's filtered direct path.
    case updatePathFitsTree
    /// No key of a path is twice in it.
    case updatePathKeysAreDistinct
    /// No key of a path is in the tree already.
    case updatePathKeysAreNew
    /// Each node of a path has one ciphertext for each key of the resolution.
    case updatePathSecretsFitResolution

    // Section 7.3: leaves.

    /// The key of the end entity's certificate is for the suite's signatures (section 5.1.2).
    case certificateFitsSuite
    /// The end entity's certificate has the leaf's signature key (section 5.3).
    case certificateHasSignatureKey
    /// All members can read the kinds of credentials that are in use.
    case credentialIsSupportedByAll
    /// Something can be encrypted to a leaf's key (section 10).
    case encryptionKeyIsValid
    /// No other node has a leaf's encryption key.
    case encryptionKeyIsUnique
    /// A leaf that comes with a key package says so.
    case keyPackageLeafHasItsSource
    /// The kind of a leaf's credential is among its capabilities.
    case leafCredentialIsListed
    /// A leaf has one extension of a kind.
    case leafExtensionsAreDistinct
    /// The kinds of a leaf's extensions are among its capabilities.
    case leafExtensionsAreListed
    /// A leaf's capabilities are at least those that the group requires.
    case leafMeetsRequiredCapabilities
    /// A leaf is signed with its own key.
    case leafSignatureIsValid
    /// A leaf's client can read all credentials of the group.
    case leafSupportsCredentialsInUse
    /// A leaf's client knows the group's version and suite.
    case leafSupportsGroup
    /// A leaf's client knows the group's extensions (section 13.4).
    case leafSupportsGroupExtensions
    /// A leaf's whole lifetime is no longer than the application allows.
    case lifetimeIsBounded
    /// A leaf's lifetime has begun and has not ended.
    case lifetimeIsNow
    /// A commit's leaf has another encryption key than the committer had.
    case pathLeafHasNewKey
    /// No other leaf has a leaf's signature key.
    case signatureKeyIsUnique
    /// An update's leaf has another encryption key than the member had.
    case updateChangesEncryptionKey
    /// A leaf that comes with an update says so.
    case updateLeafHasItsSource

    // Section 10.1: key packages.

    /// Something can be encrypted to a key package's init key.
    case initKeyIsValid
    /// A key package's init key is not its leaf's key.
    case initKeyIsAnother
    /// A key package has one extension of a kind.
    case keyPackageExtensionsAreDistinct
    /// A key package is for the group's version and suite.
    case keyPackageFitsGroup
    /// A key package is signed with its leaf's key.
    case keyPackageSignatureIsValid

    // Section 12.2: the proposals of a commit.

    /// Nobody is added who is a member.
    case addIsNewClient
    /// Nobody is added twice.
    case addsAreDistinctClients
    /// A commit names a proposal once.
    case commitNamesProposalsOnce
    /// The number of an epoch that a commit leads to fits into 64 bits.
    case epochIsNotTheLast
    /// An external commit has a path.
    case externalCommitHasPath
    /// An external commit has proposals of its kinds only.
    case externalCommitHasNoOtherProposals
    /// An external commit names no proposal of others but SelfRemoves.
    case externalCommitHasNoReferences
    /// An external commit has one ExternalInit.
    case externalCommitHasOneExternalInit
    /// An external commit removes one member at most.
    case externalCommitRemovesAtMostOne
    /// A group has one extension of a kind.
    case groupExtensionsAreDistinct
    /// The encapsulated key of an ExternalInit is a key that something can be agreed with.
    case externalInitIsValid
    /// Only those who join by it send an ExternalInit.
    case externalInitIsForNewMembers
    /// A leaf is updated or removed once.
    case oneChangePerLeaf
    /// There is one GroupContextExtensions at most.
    case oneGroupContextExtensions
    /// A commit has a path where its proposals require one.
    case pathIsThereWhereRequired
    /// The nonce of a pre-shared key is as long as the suite's hash.
    case presharedKeyNonceHasSize
    /// There are no more pre-shared keys than 16 bits can count (section 8.4).
    case presharedKeysCanBeCounted
    /// A pre-shared key is named once.
    case presharedKeysAreDistinct
    /// A proposal that a commit names was sent before.
    case referencedProposalIsKnown
    /// A group that is to be made anew has one extension of a kind.
    case reInitExtensionsAreDistinct
    /// A group is not made anew with a lower version.
    case reInitVersionIsNotLower
    /// A ReInit is committed alone.
    case reInitStandsAlone
    /// Nobody removes themselves.
    case removeIsNotCommitter
    /// Whoever is removed is a member.
    case removedLeafIsMember
    /// Within a group, an epoch's key is used for the application.
    case resumptionKeyIsForApplication
    /// An Update comes from a member.
    case updateIsFromMember
    /// Nobody commits their own Update.
    case updateIsNotCommitters

    // Section 12.2, and draft-ietf-mls-extensions: SelfRemove.

    /// All who follow a commit know the kinds of its proposals.
    case proposalIsSupportedByAll
    /// A commit names SelfRemoves that were sent before.
    case selfRemoveIsByReference
    /// A SelfRemove comes from a member.
    case selfRemoveIsFromMember
    /// A SelfRemove is readable by those outside.
    case selfRemoveIsPublic

    // Section 12.4.3: joining.

    /// A branch has the version and the suite of the group it came from.
    case branchHasSameParameters
    /// A branch has members of the group it came from only.
    case branchHasSomeMembers
    /// Something can be encrypted to the key for joining from outside, where a GroupInfo has it.
    case externalPubIsValid
    /// A GroupInfo has one extension of a kind.
    case groupInfoExtensionsAreDistinct
    /// A GroupInfo is of the version and the suite that are asked for.
    case groupInfoFitsSuite
    /// A GroupInfo that comes with a commit describes the group after it.
    case groupInfoIsOfGroup
    /// A GroupInfo is signed with its signer's key.
    case groupInfoSignatureIsValid
    /// Whoever signs a GroupInfo is a member.
    case groupInfoSignerIsMember
    /// Whoever joins a group that was made of another has been a member of that.
    case groupIsMadeOfKnownOne
    /// One is in no other group of the same name.
    case groupIsNew
    /// A group that was made of another is in its first epoch.
    case linkedGroupIsNew
    /// Leaves are at even places, parents at odd ones.
    case nodeKindFitsPlace
    /// A tree has at most 2¹⁶ leaves.
    case ratchetTreeIsBounded
    /// The last node of a tree that is sent is not blank.
    case ratchetTreeEndsWithNode
    /// A Welcome links to one group before at most.
    case oneLinkToAnotherGroup
    /// The tree has the leaf of the key package that one was added by.
    case ownLeafIsInTree
    /// No other node has a parent's key.
    case parentKeyIsUnique
    /// Each parent's key came from one member below it.
    case parentsComeFromMembers
    /// A group that was made anew has all members of the one before.
    case reInitializedGroupHasAllMembers
    /// A group that was made anew is what the ReInit said.
    case reInitializedGroupIsAsProposed
    /// The tree's hash is the one of the group's context.
    case treeHashIsThatOfContext
    /// Whoever is unmerged at a node is a member below it.
    case unmergedLeafIsMemberBelow
    /// Whoever is unmerged at a node is unmerged at all nodes between.
    case unmergedLeafIsUnmergedBelow
    /// A Welcome is for a key package of its suite.
    case welcomeFitsKeyPackage
}
