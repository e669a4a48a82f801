/// A ratchet tree as somebody who joins has to look at it (RFC 9420, section 12.4.3.1).
extension PublicGroup {
    /// The group that a GroupInfo describes, if all of it is as it has to be.
    ///
    /// - Parameters:
    ///   - nodes: the tree, where the GroupInfo does not bring it.
    ///   - maximumLeafCount: the leaves, blank ones too, with which it is made at all.
    /// - Throws: `missingRatchetTree`; `credentialRefused`; `invalid`; `malformed`.
    init(
        _ info: GroupInfo,
        _ nodes: RatchetTree.Nodes?,
        _ suite: Suite,
        _ environment: GroupEnvironment,
        maximumLeafCount: Int = RatchetTree.maximumLeafCount
    ) throws(MLSError) {
        let context = info.groupContext
        try require(
            .groupInfoFitsSuite,
            context.version == .mls10 && context.cipherSuite == suite.cipherSuite
        )
        try require(.groupInfoExtensionsAreDistinct, info.extensions.areDistinct)
        try require(.groupExtensionsAreDistinct, context.extensions.areDistinct)
        let sent: RatchetTree.Nodes?
        do {
            sent = try info.extensions.read(.ratchetTree, as: RatchetTree.Nodes.self)
        } catch {
            throw .malformed(error)
        }
        try info.checkExternalPub(suite)
        guard let nodes = sent ?? nodes else { throw .missingRatchetTree }
        var tree = try RatchetTree(nodes.list, suite, maximumLeafCount: maximumLeafCount)
        let signatureKey = try required(.groupInfoSignerIsMember, tree[info.signer]?.signatureKey)
        try require(.groupInfoSignatureIsValid, suite.isAuthentic(info, by: signatureKey))
        try require(.treeHashIsThatOfContext, tree.rootHash() == context.treeHash)
        self.init(suite, context, tree, confirmationTag: info.confirmationTag)
        try PublicGroup.check(&tree, leafCheck(context.extensions, environment))
        try PublicGroup.checkExternalSenders(context.extensions, environment)
    }

    private static func check(_ tree: inout RatchetTree, _ check: LeafNodeCheck) throws(MLSError) {
        try checkParents(tree)
        let (members, joined) = (tree.members, tree)
        _ = try inParallel(members.count) { (place) throws(MLSError) in
            guard let leaf = joined[members[place]] else { return }
            try check.check(leaf, at: members[place], from: .tree)
        }
        try check.check(tree, changed: members, before: nil)
        try require(.parentsComeFromMembers, tree.areParentHashesValid())
    }

    private static func checkParents(_ tree: RatchetTree) throws(MLSError) {
        for place in tree.parents.indices {
            guard let parent = tree.parents[place]?.node else { continue }
            let index = NodeIndex(2 * place + 1)
            try require(.rootHasNoParentHash, index != tree.shape.root || parent.parentHash.isEmpty)
            try require(.pathKeysAreValid, tree.suite.isValid(parent.encryptionKey))
            try require(.parentKeyIsUnique, tree.encryptionKeys[parent.encryptionKey] == 1)
            for leaf in parent.unmergedLeaves {
                _ = try required(.unmergedLeafIsMemberBelow, index.covers(leaf) ? tree[leaf] : nil)
                try require(.unmergedLeafIsUnmergedBelow, tree.isUnmerged(leaf, upTo: index))
            }
        }
    }
}

extension RatchetTree {
    /// Whether every node between a leaf and one above it has the leaf as unmerged.
    func isUnmerged(_ leaf: LeafIndex, upTo index: NodeIndex) -> Bool {
        for between in shape.directPath(of: leaf.node).prefix(while: { $0 != index }) {
            guard let parent = parent(at: between) else { continue }
            guard parent.unmergedLeaves.contains(leaf) else { return false }
        }
        return true
    }
}
