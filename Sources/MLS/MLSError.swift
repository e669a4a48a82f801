import MildamWire

/// Why something of MLS was not done. Nothing has changed then.
public enum MLSError: Error, Hashable, Sendable {
    /// What was received breaks this rule of the RFC.
    case invalid(ValidationRule)
    /// The bytes are not the structure they should be.
    case malformed(WireError)
    /// The suite is none that can be used.
    case unknownCipherSuite(CipherSuite)
    /// A message of another group.
    case otherGroup
    /// A message of an epoch that is over, or has not come.
    case otherEpoch(UInt64)
    /// A ciphertext does not open: it was changed, or is for somebody else.
    case decryptionFailed
    /// A message's key is gone: it was read before, or is older than what is kept.
    case keyConsumed
    /// A message is further ahead in its sender's ratchet than is followed.
    case tooFarAhead
    /// Bytes are no public key of the suite, or one of low order.
    case invalidPublicKey
    /// Bytes are no private key of the suite, or not the one that belongs to a public key.
    case invalidPrivateKey
    /// Nothing can be signed with this key.
    case signingFailed
    /// A pre-shared key that nobody here has.
    case missingPreSharedKey(PreSharedKeyID)
    /// The tree that a GroupInfo belongs to is neither in it nor was it given.
    case missingRatchetTree
    /// A GroupInfo without a key for joining from outside.
    case missingExternalPub
    /// A Welcome for none of the key packages that were given.
    case notWelcome
    /// The application does not accept a credential.
    case credentialRefused
    /// The application does not accept what was proposed.
    case proposalRefused
    /// The application does not accept a commit.
    case commitRefused
    /// A commit of one's own has come back, and what it leads to was given up: one joins anew.
    case ownCommitLost
    /// What is to be said, or signed, is longer than messages are.
    case tooLong
    /// More proposals are waiting than are kept.
    case tooManyProposals
    /// A commit of one's own is waiting to be merged or discarded.
    case commitPending
    /// Proposals are waiting: they are committed before anything is said.
    case proposalsPending
    /// A Welcome, a GroupInfo or a key package: no message to a member.
    case notForMembers
    /// There is nothing to merge.
    case nothingPending
    /// Records that are stored are not all of a group, or contradict one another.
    case damagedState
    /// One is no longer a member, or the group is to be made anew.
    case inactive
}
