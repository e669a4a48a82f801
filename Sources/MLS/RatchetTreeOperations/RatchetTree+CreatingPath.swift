import MildamCrypto

/// New keys for one's own path (RFC 9420, section 7.5).
extension RatchetTree {
    /// A path that is in the tree already, and what its members are to be told of it.
    struct FreshPath: Sendable {
        let leaf: LeafNode
        let leafKey: HPKE.PrivateKey
        let steps: [PathStep]
        let secrets: PathSecrets
    }

    /// Puts a new leaf and new keys above it into the tree.
    ///
    /// - Parameters:
    ///   - index: the own leaf, blank or not.
    ///   - content: what the leaf says; its source and its encryption key are set here.
    ///   - sign: signs the leaf.
    mutating func refreshPath(
        of index: LeafIndex,
        _ content: LeafNodeContent,
        _ randomness: Randomness,
        sign: (LeafNodeContent) throws(MLSError) -> LeafNode
    ) throws(MLSError) -> FreshPath {
        blankPath(of: index)
        let steps = filteredDirectPath(of: index)
        let secrets = try PathSecrets(suite, from: suite.randomSecret(randomness), count: steps.count)
        let leafKey = try suite.keyPair(from: suite.derive(suite.randomSecret(randomness), "node"))
        for (step, key) in zip(steps, secrets.keys) {
            set(ParentNode(encryptionKey: HPKEPublicKey(key.publicKey.serialized)), at: step.node)
        }
        var content = content
        content.encryptionKey = HPKEPublicKey(leafKey.publicKey.serialized)
        content.source = .commit(parentHash: setParentHashes(steps))
        let leaf = try sign(content)
        set(leaf, at: index)
        return FreshPath(leaf: leaf, leafKey: leafKey, steps: steps, secrets: secrets)
    }

    /// The path as it is sent: each node's secret for those below its other child, but for those who come in with it.
    func encrypted(
        _ path: FreshPath,
        context: [UInt8],
        without newLeaves: Set<LeafIndex>,
        _ randomness: Randomness
    ) throws(MLSError) -> UpdatePath {
        let recipients = path.steps.map { step in
            resolution(of: step.copath, without: newLeaves).compactMap { encryptionKey(at: $0) }
        }
        let all = recipients.indices.flatMap { place in recipients[place].map { (place, $0) } }
        let encryptContext = suite.encryptContext(.updatePathNode, context)
        let ephemeral = suite.ephemeralKeys(all.count, randomness)
        var ciphertexts = try inParallel(all.count) { [suite] (number) throws(MLSError) in
            let (place, key) = all[number]
            let secret = path.secrets.secrets[place]
            return try suite.encrypt(secret, to: key, encryptContext, ephemeral: ephemeral?[number])
        }[...]
        let nodes = recipients.indices.map { place in
            defer { ciphertexts = ciphertexts.dropFirst(recipients[place].count) }
            return UpdatePathNode(
                encryptionKey: HPKEPublicKey(path.secrets.keys[place].publicKey.serialized),
                encryptedPathSecrets: Array(ciphertexts.prefix(recipients[place].count))
            )
        }
        return UpdatePath(leafNode: path.leaf, nodes: nodes)
    }

    /// The resolution of a node without leaves that are new.
    func resolution(of index: NodeIndex, without newLeaves: Set<LeafIndex>) -> [NodeIndex] {
        let whole = resolution(of: index)
        guard !newLeaves.isEmpty else { return whole }
        return whole.filter { !$0.isLeaf || !newLeaves.contains($0.leaf) }
    }
}
