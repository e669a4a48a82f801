import MildamWire

/// Parent hashes: that a node's key came from one below it (RFC 9420, section 7.9).
extension RatchetTree {
    /// The parent hash of a node with one of its children as the copath's.
    ///
    ///     struct {
    ///         HPKEPublicKey encryption_key;
    ///         opaque parent_hash<V>;
    ///         opaque original_sibling_tree_hash<V>;
    ///     } ParentHashInput;
    mutating func parentHash(of parent: ParentNode, copath: NodeIndex) -> [UInt8] {
        let original = originalHash(of: copath, without: parent.unmergedLeaves)
        var writer = WireWriter(capacity: 192)
        parent.encryptionKey.encode(into: &writer)
        writer.vector(parent.parentHash)
        writer.vector(original)
        let input = writer.takeBytes()
        return suite.hash.hash(input.span)
    }

    /// The tree hash of a node as it was before these leaves came.
    private mutating func originalHash(of index: NodeIndex, without unmerged: [LeafIndex]) -> [UInt8] {
        let inside = unmerged.filter { index.covers($0) }
        guard !inside.isEmpty else { return hash(of: index) }
        guard let left = index.left, let right = index.right else { return TreeLeaf.hash(nil, at: index.leaf, suite) }
        var parent = parent(at: index)
        let gone = Set(inside)
        parent?.unmergedLeaves.removeAll(where: gone.contains)
        return TreeParent.hash(
            parent,
            originalHash(of: left, without: inside),
            originalHash(of: right, without: inside),
            suite
        )
    }

    /// Gives the nodes of a path their parent hashes, from the root down.
    ///
    /// - Returns: the parent hash of the leaf.
    mutating func setParentHashes(_ path: [PathStep]) -> [UInt8] {
        var above: [UInt8] = []
        for step in path.reversed() {
            guard var parent = parent(at: step.node) else { continue }
            parent.parentHash = above
            set(parent, at: step.node)
            above = parentHash(of: parent, copath: step.copath)
        }
        return above
    }

    /// Whether every parent's key came from somebody below it: one who joins has to see that.
    mutating func areParentHashesValid() -> Bool {
        for place in parents.indices {
            let index = NodeIndex(2 * place + 1)
            guard let parent = parents[place]?.node, let left = index.left, let right = index.right else { continue }
            let count =
                sources(of: parent, below: left, beside: right) + sources(of: parent, below: right, beside: left)
            if count != 1 { return false }
        }
        return true
    }

    /// How many nodes below a child vouch for a parent (RFC 9420, section 7.9.2).
    private mutating func sources(of parent: ParentNode, below child: NodeIndex, beside sibling: NodeIndex) -> Int {
        let resolution = resolution(of: child)
        let unmerged = Set(parent.unmergedLeaves.filter { child.covers($0) }.map(\.node))
        // One node of the resolution vouches; all others have to be unmerged at the parent.
        guard resolution.count == unmerged.count + 1 else { return 0 }
        let candidates = resolution.filter { !unmerged.contains($0) }
        guard candidates.count == 1, let source = candidates.first else { return 0 }
        let claimed = source.isLeaf ? self[source.leaf]?.source.parentHash : self.parent(at: source)?.parentHash
        return claimed == parentHash(of: parent, copath: sibling) ? 1 : 0
    }
}
