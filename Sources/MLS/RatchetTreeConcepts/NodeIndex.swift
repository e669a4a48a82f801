/// A node's place in a tree that is kept as an array, counted from the left: leaves are even (RFC 9420, appendix C).
struct NodeIndex: Hashable, Comparable, Sendable {
    let rawValue: Int

    init(_ rawValue: Int) { self.rawValue = rawValue }

    /// How far above the leaves it is.
    var level: Int { (~rawValue).trailingZeroBitCount }

    var isLeaf: Bool { rawValue.isMultiple(of: 2) }

    /// The leaf at this place; the node is one.
    var leaf: LeafIndex { LeafIndex(rawValue / 2) }

    /// Its place among the parents, from the left; the node is one.
    var parentOffset: Int { rawValue / 2 }

    /// The left child; `nil` for a leaf.
    var left: NodeIndex? { isLeaf ? nil : NodeIndex(rawValue ^ (1 << (level - 1))) }

    /// The right child; `nil` for a leaf.
    var right: NodeIndex? { isLeaf ? nil : NodeIndex(rawValue ^ (3 << (level - 1))) }

    /// The parent in an endless tree; which of them are in a tree of some size, that tree knows.
    var parent: NodeIndex {
        let level = level
        return NodeIndex((rawValue | 1 << level) & ~(1 << (level + 1)))
    }

    /// The other child of the parent.
    var sibling: NodeIndex { NodeIndex(rawValue ^ (2 << level)) }

    /// The leaves below it, by number; its own, for a leaf.
    var leaves: Range<Int> {
        let level = level
        let first = (rawValue - (1 << level) + 1) / 2
        return first..<first + (1 << level)
    }

    /// Whether this leaf is below it, or is it.
    func covers(_ leaf: LeafIndex) -> Bool { leaves.contains(leaf.offset) }

    static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}
