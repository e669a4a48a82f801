import MildamCrypto

/// A group as those see it who know none of its secrets: a relay, for example (RFC 9420, section 12.4).
public struct PublicGroup: Sendable {
    let suite: Suite
    /// What all members agree on.
    public internal(set) var context: GroupContext
    /// The context, encoded: what messages are signed with.
    var contextBytes: [UInt8]
    var tree: RatchetTree
    var interimTranscriptHash: [UInt8]
    var confirmationTag: [UInt8]
    var proposals = ProposalStore()

    init(_ suite: Suite, _ context: GroupContext, _ tree: RatchetTree, confirmationTag: [UInt8]) {
        self.suite = suite
        self.context = context
        contextBytes = context.wireBytes
        self.tree = tree
        self.confirmationTag = confirmationTag
        interimTranscriptHash = suite.interimTranscriptHash(
            context.confirmedTranscriptHash,
            confirmationTag: confirmationTag
        )
    }

    /// The group's members: where they are, and what they say of themselves.
    public var members: [(index: LeafIndex, leaf: LeafNode)] { tree.memberLeaves }

    /// A pre-shared key with a fresh nonce, for a proposal.
    public func presharedKeyID(_ key: PreSharedKeyID.Key, randomness: Randomness = .system) -> PreSharedKeyID {
        PreSharedKeyID(key: key, nonce: randomness.bytes(count: suite.secretSize))
    }

    /// The leaf of a member.
    public subscript(index: LeafIndex) -> LeafNode? { tree[index] }
}
