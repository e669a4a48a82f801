import MildamWire

/// The public part of a group's tree: who its members are, and the keys of each part of it (RFC 9420, sections 4 and 7).
///
/// A value: a change that is thrown away leaves no trace. Copies share their nodes.
struct RatchetTree: Sendable {
    /// A tree with more leaves is refused: 2¹⁶.
    static let maximumLeafCount = 1 << 16

    let suite: Suite
    private(set) var shape: TreeShape
    private(set) var leaves: [TreeLeaf?]
    private(set) var parents: [TreeParent?]
    /// Tree hashes of parents that are known; those that a change has touched are not.
    private var parentHashes: [[UInt8]?]
    /// The keys that leaves and parents have, by how many nodes have them.
    private(set) var encryptionKeys: [HPKEPublicKey: Int] = [:]
    /// The keys that members sign with, by how many have them.
    private(set) var signatureKeys: [SignaturePublicKey: Int] = [:]
    /// The kinds of credentials that members have, by how many have them.
    private(set) var credentialTypes: [CredentialType: Int] = [:]
    /// No leaf to the left of it is blank.
    private var firstBlank = 0

    /// A tree of one leaf.
    init(_ leaf: LeafNode, _ suite: Suite) {
        self.suite = suite
        shape = TreeShape(holding: 1)
        leaves = [nil]
        parents = []
        parentHashes = []
        set(leaf, at: LeafIndex(rawValue: 0))
    }

    /// The tree of these nodes, in their order from the left; blank ones may be missing at the end.
    ///
    /// - Parameter maximumLeafCount: what is longer is refused before there is a place for each of its nodes.
    init(
        _ nodes: [Node?],
        _ suite: Suite,
        maximumLeafCount: Int = RatchetTree.maximumLeafCount
    ) throws(MLSError) {
        try require(.ratchetTreeEndsWithNode, nodes.last.flatMap { $0 } != nil)
        let leafCount = nodes.count / 2 + 1
        try require(.ratchetTreeIsBounded, leafCount <= maximumLeafCount)
        self.suite = suite
        shape = TreeShape(holding: leafCount)
        leaves = Array(repeating: nil, count: shape.leafCount)
        parents = Array(repeating: nil, count: shape.leafCount - 1)
        parentHashes = Array(repeating: nil, count: shape.leafCount - 1)
        for (place, node) in nodes.enumerated() {
            switch node {
            case .leaf(let leaf):
                try require(.nodeKindFitsPlace, place.isMultiple(of: 2))
                set(leaf, at: NodeIndex(place).leaf)
            case .parent(let parent):
                try require(.nodeKindFitsPlace, !place.isMultiple(of: 2))
                set(parent, at: NodeIndex(place))
            case nil: break
            }
        }
    }

    /// The nodes from the left, without blank ones at the end: `optional<Node> ratchet_tree<V>` (RFC 9420, section
    /// 12.4.3.3).
    var nodes: [Node?] {
        var nodes = (0..<shape.nodeCount).map { place -> Node? in
            let index = NodeIndex(place)
            return index.isLeaf ? self[index.leaf].map(Node.leaf) : parent(at: index).map(Node.parent)
        }
        while let last = nodes.last, last == nil { nodes.removeLast() }
        return nodes
    }

    /// The leaf of a member; `nil` where there is none.
    subscript(leaf: LeafIndex) -> LeafNode? { leaf.offset < leaves.count ? leaves[leaf.offset]?.node : nil }

    /// The client of a member; `nil` where there is none.
    func client(of leaf: LeafIndex, _ authentication: any AuthenticationService) -> [UInt8]? {
        leaf.offset < leaves.count ? leaves[leaf.offset]?.client(authentication) : nil
    }

    /// A parent; `nil` for a blank one.
    func parent(at index: NodeIndex) -> ParentNode? { parents[index.parentOffset]?.node }

    /// The members' places, from the left.
    var members: [LeafIndex] { leaves.indices.filter { leaves[$0] != nil }.map { LeafIndex($0) } }

    /// The members' places and leaves, from the left.
    var memberLeaves: [(index: LeafIndex, leaf: LeafNode)] {
        members.compactMap { index in self[index].map { (index, $0) } }
    }

    /// Whether a node is blank.
    func isBlank(_ index: NodeIndex) -> Bool {
        index.isLeaf ? leaves[index.parentOffset] == nil : parents[index.parentOffset] == nil
    }

    /// What is encrypted to a node is encrypted to this.
    func encryptionKey(at index: NodeIndex) -> HPKEPublicKey? {
        index.isLeaf ? self[index.leaf]?.encryptionKey : parent(at: index)?.encryptionKey
    }

    // MARK: Changing

    /// Puts a leaf in its place, or blanks it; what is above is not touched, but its hashes are forgotten.
    mutating func set(_ leaf: LeafNode?, at index: LeafIndex) {
        if let old = leaves[index.offset]?.node {
            RatchetTree.discount(old.encryptionKey, in: &encryptionKeys)
            RatchetTree.discount(old.signatureKey, in: &signatureKeys)
            RatchetTree.discount(old.credential.type, in: &credentialTypes)
        }
        leaves[index.offset] = leaf.map { TreeLeaf($0, at: index, suite) }
        if let leaf {
            encryptionKeys[leaf.encryptionKey, default: 0] += 1
            signatureKeys[leaf.signatureKey, default: 0] += 1
            credentialTypes[leaf.credential.type, default: 0] += 1
        } else {
            firstBlank = min(firstBlank, index.offset)
        }
        forgetHashes(above: index.node)
    }

    /// Puts a parent in its place, or blanks it.
    mutating func set(_ parent: ParentNode?, at index: NodeIndex) {
        if let old = parents[index.parentOffset]?.node {
            RatchetTree.discount(old.encryptionKey, in: &encryptionKeys)
        }
        parents[index.parentOffset] = parent.map(TreeParent.init)
        if let parent { encryptionKeys[parent.encryptionKey, default: 0] += 1 }
        parentHashes[index.parentOffset] = nil
        forgetHashes(above: index)
    }

    private static func discount<Key>(_ key: Key, in counts: inout [Key: Int]) {
        guard let count = counts[key] else { return }
        counts[key] = count == 1 ? nil : count - 1
    }

    private mutating func forgetHashes(above index: NodeIndex) {
        for parent in shape.directPath(of: index) { parentHashes[parent.parentOffset] = nil }
    }

    /// Blanks all that is above a leaf.
    mutating func blankPath(of leaf: LeafIndex) {
        for index in shape.directPath(of: leaf.node) where !isBlank(index) { set(nil as ParentNode?, at: index) }
    }

    /// Puts a new member's leaf into the first blank place from the left; the tree grows, where there is none (RFC 9420,
    /// section 12.1.1).
    mutating func add(_ leaf: LeafNode) -> LeafIndex {
        let index = firstBlankLeaf()
        for above in shape.directPath(of: index.node) {
            guard var parent = parent(at: above) else { continue }
            let place = parent.unmergedLeaves.firstIndex { $0 > index } ?? parent.unmergedLeaves.count
            parent.unmergedLeaves.insert(index, at: place)
            set(parent, at: above)
        }
        set(leaf, at: index)
        return index
    }

    /// The first blank leaf from the left, in a tree that has grown for it where it has to.
    mutating func firstBlankLeaf() -> LeafIndex {
        while firstBlank < leaves.count, leaves[firstBlank] != nil { firstBlank += 1 }
        let index = LeafIndex(firstBlank)
        if firstBlank == leaves.count { resize(to: TreeShape(holding: leaves.count + 1)) }
        return index
    }

    /// Puts another leaf in a member's place (RFC 9420, section 12.1.2).
    mutating func update(_ index: LeafIndex, _ leaf: LeafNode) {
        set(leaf, at: index)
        blankPath(of: index)
    }

    /// Takes a member out (RFC 9420, section 12.1.3), and leaves the tree as large as it was.
    mutating func blank(_ index: LeafIndex) {
        set(nil as LeafNode?, at: index)
        blankPath(of: index)
    }

    /// Puts other nodes in some places, or blanks them; the tree is as large then as its last member needs it.
    ///
    /// - Throws: `damagedState` for a place that no tree has, or a node of another kind than its place's.
    mutating func replace(_ nodes: [(index: NodeIndex, node: Node?)]) throws(MLSError) {
        let last = nodes.lazy.filter { $0.node != nil }.map(\.index.rawValue).max() ?? 0
        guard last < 2 * RatchetTree.maximumLeafCount else { throw .damagedState }
        if last >= shape.nodeCount { resize(to: TreeShape(holding: (last + 1) / 2 + 1)) }
        for (index, node) in nodes {
            switch node {
            case .leaf(let leaf) where index.isLeaf: set(leaf, at: index.leaf)
            case .parent(let parent) where !index.isLeaf: set(parent, at: index)
            case nil where !shape.contains(index): break
            case nil where index.isLeaf: set(nil as LeafNode?, at: index.leaf)
            case nil: set(nil as ParentNode?, at: index)
            default: throw .damagedState
            }
        }
        truncate()
    }

    /// Makes the tree as small as its last member lets it be (RFC 9420, section 7.7).
    mutating func truncate() {
        // Nobody is there for a moment when the only member comes back from outside.
        let last = leaves.lastIndex { $0 != nil } ?? 0
        let small = TreeShape(holding: last + 1)
        guard small != shape else { return }
        for place in small.leafCount - 1..<parents.count where parents[place] != nil {
            set(nil as ParentNode?, at: NodeIndex(2 * place + 1))
        }
        resize(to: small)
        firstBlank = min(firstBlank, leaves.count)
    }

    private mutating func resize(to other: TreeShape) {
        shape = other
        leaves = RatchetTree.resized(leaves, other.leafCount)
        parents = RatchetTree.resized(parents, other.leafCount - 1)
        parentHashes = RatchetTree.resized(parentHashes, other.leafCount - 1)
    }

    private static func resized<Element>(_ array: [Element?], _ count: Int) -> [Element?] {
        array.prefix(count) + [Element?](repeating: nil, count: max(0, count - array.count))
    }

    // MARK: Hashes

    /// The tree hash of the whole tree; known for all nodes from then on.
    mutating func rootHash() -> [UInt8] { hash(of: shape.root) }

    /// The tree hash of a node (RFC 9420, section 7.8).
    mutating func hash(of index: NodeIndex) -> [UInt8] {
        guard let left = index.left, let right = index.right else {
            return leaves[index.parentOffset]?.hash ?? TreeLeaf.hash(nil, at: index.leaf, suite)
        }
        if let known = parentHashes[index.parentOffset] { return known }
        let hash = TreeParent.hash(parent(at: index), hash(of: left), hash(of: right), suite)
        parentHashes[index.parentOffset] = hash
        return hash
    }
}
