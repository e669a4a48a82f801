/// What a receiver has to check, each by its own name (`Documentation/mls-validation.md`).
public enum ValidationRule: String, CaseIterable, Hashable, Sendable {
    // Section 6: messages.

    /// Application data come in a PrivateMessage.
    case applicationDataIsEncrypted
    /// A member's PublicMessage has the membership tag.
    case membershipTagIsValid
    /// Padding is zeros.
    case paddingIsZero
    /// A private message's sender is at a leaf that is not blank.
    case senderIsMember

    // Section 7: the tree.

    /// A path's leaf says that it comes from a commit.
    case commitLeafHasItsSource
    /// A path's leaf has the parent hash of the node above it.
    case commitLeafHasParentHash
    /// The secret of a path's node gives the keys that the path publishes.
    case pathSecretGivesPublicKeys
    /// A path has as many nodes as the committer's filtered direct path.
    case updatePathFitsTree
    /// No key of a path is twice in it.
    case updatePathKeysAreDistinct
    /// No key of a path is in the tree already.
    case updatePathKeysAreNew
    /// Each node of a path has one ciphertext for each key of the resolution.
    case updatePathSecretsFitResolution

    // Section 12.4.3: joining.

    /// Leaves are at even places, parents at odd ones.
    case nodeKindFitsPlace
    /// A tree has at most 2²⁴ leaves.
    case ratchetTreeIsBounded
    /// The last node of a tree that is sent is not blank.
    case ratchetTreeEndsWithNode
}
