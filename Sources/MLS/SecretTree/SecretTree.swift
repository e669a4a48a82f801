import MildamCrypto

/// The keys of an epoch's messages: a tree of secrets, from which each sender's ratchets grow (RFC 9420, section 9).
///
/// A secret is gone as soon as others were made of it.
struct SecretTree: Sendable {
    /// Which of a sender's ratchets.
    struct RatchetID: Hashable, Sendable {
        let leaf: LeafIndex
        let isHandshake: Bool

        init(_ leaf: LeafIndex, _ type: ContentType) {
            self.leaf = leaf
            isHandshake = type != .application
        }

        init(_ leaf: LeafIndex, isHandshake: Bool) {
            self.leaf = leaf
            self.isHandshake = isHandshake
        }
    }

    private let shape: TreeShape
    /// Secrets of which nothing was made yet.
    private(set) var nodes: [NodeIndex: SymmetricKey]
    private(set) var ratchets: [RatchetID: HashRatchet]

    /// The tree of an epoch's `encryption_secret`.
    init(_ shape: TreeShape, encryptionSecret: SymmetricKey) {
        self.init(shape, nodes: [shape.root: encryptionSecret], ratchets: [:])
    }

    init(_ shape: TreeShape, nodes: [NodeIndex: SymmetricKey], ratchets: [RatchetID: HashRatchet]) {
        self.shape = shape
        self.nodes = nodes
        self.ratchets = ratchets
    }

    /// The next key of one's own.
    ///
    /// - Throws: `tooFarAhead` when all generations are used up.
    mutating func next(
        _ leaf: LeafIndex,
        _ type: ContentType,
        _ suite: Suite
    ) throws(MLSError) -> (generation: UInt32, key: MessageKey) {
        let id = RatchetID(leaf, type)
        var ratchet = try ratchet(id, suite)
        let next = try ratchet.next(suite)
        ratchets[id] = ratchet
        return next
    }

    /// Takes the key of a message out.
    ///
    /// - Throws: `keyConsumed`; `tooFarAhead`; `invalid(.senderIsMember)` for a leaf that the tree does not have.
    mutating func take(
        _ generation: UInt32,
        of leaf: LeafIndex,
        _ type: ContentType,
        _ suite: Suite,
        _ limits: RatchetLimits
    ) throws(MLSError) -> MessageKey {
        let id = RatchetID(leaf, type)
        var ratchet = try ratchet(id, suite)
        let key = try ratchet.take(generation, suite, limits)
        ratchets[id] = ratchet
        return key
    }

    private mutating func ratchet(_ id: RatchetID, _ suite: Suite) throws(MLSError) -> HashRatchet {
        if let ratchet = ratchets[id] { return ratchet }
        try grow(id.leaf, suite)
        guard let ratchet = ratchets[id] else { throw .keyConsumed }
        return ratchet
    }

    /// Makes both ratchets of a leaf, and on the way to it the secrets of all that branches off.
    private mutating func grow(_ leaf: LeafIndex, _ suite: Suite) throws(MLSError) {
        var node = try required(.senderIsMember, shape.contains(leaf) ? leaf.node : nil)
        while nodes[node] == nil {
            guard let parent = shape.parent(of: node) else { throw .keyConsumed }
            node = parent
        }
        while let secret = nodes.removeValue(forKey: node) {
            guard let left = node.left, let right = node.right else {
                ratchets[RatchetID(leaf, isHandshake: true)] = HashRatchet(secret: suite.expand(secret, "handshake"))
                ratchets[RatchetID(leaf, isHandshake: false)] = HashRatchet(secret: suite.expand(secret, "application"))
                return
            }
            nodes[left] = suite.expand(secret, "tree", context: Array("left".utf8))
            nodes[right] = suite.expand(secret, "tree", context: Array("right".utf8))
            node = left.covers(leaf) ? left : right
        }
    }
}
