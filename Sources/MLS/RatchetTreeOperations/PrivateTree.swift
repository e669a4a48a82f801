import MildamCrypto

/// The private keys that a member knows: those of the own leaf and of nodes above it (RFC 9420, section 4.2).
struct PrivateTree: Sendable {
    /// The own leaf.
    let leaf: LeafIndex
    /// `nil` once one is no longer a member.
    var leafKey: HPKE.PrivateKey?
    private(set) var keys: [NodeIndex: HPKE.PrivateKey]

    /// The keys of one who has just come.
    init(leaf: LeafIndex, leafKey: HPKE.PrivateKey?, keys: [NodeIndex: HPKE.PrivateKey] = [:]) {
        self.leaf = leaf
        self.leafKey = leafKey
        self.keys = keys
    }

    /// The private key of a node, where it is known.
    subscript(index: NodeIndex) -> HPKE.PrivateKey? {
        index == leaf.node ? leafKey : keys[index]
    }

    /// Takes in the keys of a path's upper part.
    mutating func take(_ secrets: PathSecrets, of steps: ArraySlice<RatchetTree.PathStep>) {
        for (step, key) in zip(steps, secrets.keys) { keys[step.node] = key }
    }

    /// Lets keys go whose nodes are blank, or have another key by now.
    mutating func prune(_ tree: RatchetTree) {
        keys = keys.filter { index, key in
            tree.shape.contains(index) && tree.parent(at: index)?.encryptionKey.bytes == key.publicKey.serialized
        }
    }
}
