@testable import MildamMLS

extension FuzzTarget {
    /// A ratchet tree.
    static let mlsRatchetTree = FuzzTarget(
        name: "mls-ratchet-tree",
        source: .network,
        seeds: { [MLSSeeds.all.group.ratchetTree] },
        take: { input in
            guard let nodes = oneForm(RatchetTree.Nodes.self, input),
                var tree = try? RatchetTree(nodes.list, MLSSeeds.all.group.suite)
            else { return }
            planted(tree.signatureKeys.keys != MLSSeeds.all.group.publicGroup.tree.signatureKeys.keys)
            mustHold(RatchetTree.Nodes(tree.nodes).wireBytes == input, "a tree that was read is written as it was")
            _ = tree.rootHash()
            _ = tree.areParentHashesValid()
            for leaf in tree.members { _ = tree.filteredDirectPath(of: leaf) }
            tree.truncate()
            let leaf = tree.add(MLSSeeds.all.bundle.keyPackage.leafNode)
            mustHold(tree[leaf] != nil, "there is always room for one more")
        }
    )
}
