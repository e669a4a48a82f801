/// The nodes of a full tree of 2ᵈ leaves (RFC 9420, section 4.1 and appendix C).
struct TreeShape: Hashable, Sendable {
    /// A power of two.
    let leafCount: Int

    /// The smallest tree with room for so many leaves, at least one.
    init(holding count: Int) {
        var leafCount = 1
        while leafCount < count { leafCount *= 2 }
        self.leafCount = leafCount
    }

    var nodeCount: Int { 2 * leafCount - 1 }

    var root: NodeIndex { NodeIndex(leafCount - 1) }

    func contains(_ node: NodeIndex) -> Bool { (0..<nodeCount).contains(node.rawValue) }

    func contains(_ leaf: LeafIndex) -> Bool { leaf.offset < leafCount }

    /// The node above; `nil` for the root.
    func parent(of node: NodeIndex) -> NodeIndex? { node == root ? nil : node.parent }

    /// The nodes above, from the parent to the root.
    func directPath(of node: NodeIndex) -> [NodeIndex] {
        var path: [NodeIndex] = []
        var next = node
        while let parent = parent(of: next) {
            path.append(parent)
            next = parent
        }
        return path
    }

    /// The siblings of the node and of those above it, from below; as many as the direct path has nodes.
    func copath(of node: NodeIndex) -> [NodeIndex] {
        node == root ? [] : [node.sibling] + directPath(of: node).dropLast().map(\.sibling)
    }

    /// The lowest node above both leaves; a leaf's own node for itself.
    func commonAncestor(_ first: LeafIndex, _ second: LeafIndex) -> NodeIndex {
        var node = first.node
        while !node.covers(second) { node = node.parent }
        return node
    }
}
