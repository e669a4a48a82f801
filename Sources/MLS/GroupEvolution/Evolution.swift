/// What a group's public part becomes by proposals, and then by a path (RFC 9420, sections 12.3 and 12.4).
struct Evolution: Sendable {
    let proposals: ProposalList
    /// The tree and the extensions to be.
    var tree: RatchetTree
    let extensions: Extensions
    /// Where those who were added are, in the order of their proposals.
    let added: [LeafIndex]
    /// Leaves whose content is new.
    var changed: [LeafIndex]

    /// Applies proposals, without looking at what they say of members.
    init(_ proposals: ProposalList, to tree: RatchetTree, _ extensions: Extensions) throws(MLSError) {
        self.proposals = proposals
        var tree = tree
        for (leaf, node) in proposals.updates {
            _ = try required(.updateIsFromMember, tree[leaf])
            tree.update(leaf, node)
        }
        for leaf in proposals.gone {
            try require(.removedLeafIsMember, tree[leaf] != nil)
            guard tree[leaf] != nil else { continue }
            tree.blank(leaf)
        }
        if !proposals.gone.isEmpty { tree.truncate() }
        var added: [LeafIndex] = []
        for keyPackage in proposals.adds { added.append(tree.add(keyPackage.leafNode)) }
        self.tree = tree
        self.extensions = proposals.groupContextExtensions ?? extensions
        self.added = added
        changed = added + proposals.updates.map(\.leaf)
    }
}
