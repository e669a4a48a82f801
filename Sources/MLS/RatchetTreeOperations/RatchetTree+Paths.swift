/// Ways through a tree (RFC 9420, sections 4.1.1 and 4.1.2).
extension RatchetTree {
    /// A node above a leaf, and its child that the way does not go through.
    struct PathStep: Hashable, Sendable {
        let node: NodeIndex
        let copath: NodeIndex
    }

    /// The nodes that stand for all members below one: itself, and those who are unmerged there; or those of its children.
    func resolution(of index: NodeIndex) -> [NodeIndex] {
        if index.isLeaf { return isBlank(index) ? [] : [index] }
        if let parent = parent(at: index) { return [index] + parent.unmergedLeaves.map(\.node) }
        guard let left = index.left, let right = index.right else { return [] }
        return resolution(of: left) + resolution(of: right)
    }

    /// Whether the resolution of a node is empty.
    private func isBlankThroughout(_ index: NodeIndex) -> Bool {
        guard isBlank(index) else { return false }
        guard let left = index.left, let right = index.right else { return true }
        return isBlankThroughout(left) && isBlankThroughout(right)
    }

    /// The direct path of a leaf without the nodes whose other child has nobody below it, from below.
    func filteredDirectPath(of leaf: LeafIndex) -> [PathStep] {
        var steps: [PathStep] = []
        var child = leaf.node
        for node in shape.directPath(of: leaf.node) {
            let copath = child.sibling
            if !isBlankThroughout(copath) { steps.append(PathStep(node: node, copath: copath)) }
            child = node
        }
        return steps
    }
}
