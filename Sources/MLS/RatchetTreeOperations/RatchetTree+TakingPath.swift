import MildamCrypto

/// Somebody else's new keys (RFC 9420, section 7.5).
extension RatchetTree {
    /// Puts a committer's path into the tree.
    ///
    /// - Returns: the nodes of the path.
    mutating func merge(_ path: UpdatePath, of committer: LeafIndex) throws(MLSError) -> [PathStep] {
        for key in path.nodes.map(\.encryptionKey) + [path.leafNode.encryptionKey] {
            try require(.updatePathKeysAreNew, encryptionKeys[key] == nil)
        }
        try require(
            .updatePathKeysAreDistinct,
            Set(path.nodes.map(\.encryptionKey) + [path.leafNode.encryptionKey]).count == path.nodes.count + 1
        )
        try require(.pathKeysAreValid, path.nodes.allSatisfy { suite.isValid($0.encryptionKey) })
        blankPath(of: committer)
        let whole = filteredDirectPath(of: committer)
        let steps = try required(.updatePathFitsTree, path.nodes.count == whole.count ? whole : nil)
        for (step, node) in zip(steps, path.nodes) { set(ParentNode(encryptionKey: node.encryptionKey), at: step.node) }
        let parentHash = setParentHashes(steps)
        let claimed = try required(.commitLeafHasItsSource, path.leafNode.source.parentHash)
        try require(.commitLeafHasParentHash, claimed == parentHash)
        set(path.leafNode, at: committer)
        return steps
    }

    /// The secrets of the part of a path that is above one's own leaf.
    ///
    /// - Returns: the first of these nodes, by its place in the path, and the secrets from there on.
    func secrets(
        of path: UpdatePath,
        _ steps: [PathStep],
        for own: PrivateTree,
        context: [UInt8],
        without newLeaves: Set<LeafIndex>
    ) throws(MLSError) -> (place: Int, secrets: PathSecrets) {
        guard let place = steps.firstIndex(where: { $0.copath.covers(own.leaf) }) else {
            // Everybody but the committer is below the other child of a node of the path.
            throw .ownCommitLost
        }
        let ciphertexts = path.nodes[place].encryptedPathSecrets
        let resolution = resolution(of: steps[place].copath, without: newLeaves)
        for (ciphertext, index) in zip(ciphertexts, resolution) {
            guard let key = own[index] else { continue }
            let secret = try suite.decrypt(ciphertext, with: key, .updatePathNode, context: context)
            let secrets = try PathSecrets(suite, from: secret, count: steps.count - place)
            let published = path.nodes[place...].map(\.encryptionKey.bytes)
            try require(.pathSecretGivesPublicKeys, secrets.keys.map(\.publicKey.serialized) == published)
            return (place, secrets)
        }
        throw .decryptionFailed
    }

    /// Whether each node of the path has as many ciphertexts as there are members to read it.
    func fits(_ path: UpdatePath, _ steps: [PathStep], without newLeaves: Set<LeafIndex>) -> Bool {
        zip(path.nodes, steps).allSatisfy { node, step in
            node.encryptedPathSecrets.count == resolution(of: step.copath, without: newLeaves).count
        }
    }
}
