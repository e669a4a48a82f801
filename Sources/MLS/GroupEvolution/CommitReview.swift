/// A commit as a whole, before it counts: what an application decides on (RFC 9420, sections 12.2 and 12.4).
///
/// All rules of the RFC that can be seen without secrets have been looked at.
public struct CommitReview: Sendable {
    /// A proposal that the commit covers.
    public struct Covered: Hashable, Sendable {
        /// The proposal.
        public let proposal: Proposal
        /// Whose it is; the committer's, where it came with the commit.
        public let sender: Sender
        /// Whether it was sent before, and the commit only names it.
        public let isByReference: Bool
    }

    /// The group before it: its members, and its extensions.
    public let group: PublicGroup
    /// Who commits: a member, or one who joins by it.
    public let committer: Sender
    /// Where the committer is after it.
    public let committerLeaf: LeafIndex
    /// What it covers, in its order.
    public let proposals: [Covered]
    /// The committer's new leaf; `nil` for a commit without a path.
    public let pathLeaf: LeafNode?
    /// What the committer says openly, and has signed.
    public let authenticatedData: [UInt8]
    /// The group's extensions after it.
    public let extensions: Extensions
    private let tree: RatchetTree

    init(
        _ resolved: [ResolvedProposal],
        by committer: Sender,
        in group: PublicGroup,
        _ outcome: PublicGroup.CommitOutcome,
        pathLeaf: LeafNode?,
        authenticatedData: [UInt8]
    ) {
        self.group = group
        self.committer = committer
        committerLeaf = outcome.committer
        proposals = resolved.map {
            Covered(proposal: $0.proposal, sender: $0.sender, isByReference: $0.reference != nil)
        }
        self.pathLeaf = pathLeaf
        self.authenticatedData = authenticatedData
        extensions = outcome.evolution.extensions
        tree = outcome.evolution.tree
    }

    /// The members after it: where they are, and what they say of themselves.
    public var members: [(index: LeafIndex, leaf: LeafNode)] { tree.memberLeaves }

    /// The leaf of a member after it.
    public subscript(index: LeafIndex) -> LeafNode? { tree[index] }
}
