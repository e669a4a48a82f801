import MildamCrypto
import MildamWire

/// A staged commit as it is stored: it may be ordered after a restart.
extension StagedCommit {
    /// - Parameter tree: the tree before it.
    func content(after tree: RatchetTree) -> SymmetricKey {
        let nodes = publicGroup.tree.changedNodes(since: tree).map { ChangedNode(index: $0.index, node: $0.node) }
        var open = WireWriter(capacity: 4096)
        message.encode(into: &open)
        open.optional(reInit)
        ContextContent(publicGroup, nil).encode(into: &open)
        open.vector(of: nodes)
        let capacity = open.count + EpochSecrets.capacity + PrivateTree.capacity + 80 + 68
        return SymmetricKey(capacity: capacity) { writer in
            writer.fixed(open.bytes)
            epoch.secrets.encode(into: &writer)
            own.encode(into: &writer)
            writer.secret(signer.recordContent)
            // Nothing was encrypted in its epoch yet.
            writer.secret(epoch.secretTree.nodes[publicGroup.tree.shape.root] ?? .nothing)
        }
    }

    /// - Parameter group: the group before it.
    /// - Throws: `malformed`; `damagedState`; `invalidPrivateKey`.
    convenience init(_ content: SymmetricKey, in group: Group) throws(MLSError) {
        let suite = group.suite
        let parts = try content.read { (reader) throws(WireError) in
            (
                message: try MLSMessage(from: &reader),
                reInit: try reader.optional(ReInit.self),
                context: try ContextContent(from: &reader),
                nodes: try reader.vector(of: ChangedNode.self),
                secrets: try EpochSecrets(from: &reader),
                own: try PrivateTree(group.own.leaf, suite, from: &reader),
                signer: try reader.secret(),
                encryptionSecret: try reader.secret()
            )
        }
        var tree = group.publicGroup.tree
        try tree.replace(parts.nodes.map { ($0.index, $0.node) })
        let next = try PublicGroup(restoring: parts.context, tree, suite)
        let signer = try SignatureKeyPair(suite.cipherSuite, rawRepresentation: parts.signer)
        guard next.context.epoch == group.number + 1, parts.own.fits(tree), parts.secrets.fit(suite),
            parts.encryptionSecret.bitCount == 8 * suite.secretSize,
            tree[group.own.leaf]?.signatureKey == signer.publicKey
        else { throw .damagedState }
        let epoch = Epoch(
            secrets: parts.secrets,
            secretTree: SecretTree(tree.shape, encryptionSecret: parts.encryptionSecret)
        )
        self.init(parts.message, next, epoch, parts.own, signer.key, parts.reInit)
    }
}

/// A node of a tree that is another one than before.
private struct ChangedNode: WireEncodable, WireDecodable {
    let index: NodeIndex
    let node: Node?

    init(index: NodeIndex, node: Node?) {
        self.index = index
        self.node = node
    }

    init(from reader: inout WireReader) throws(WireError) {
        index = try NodeIndex(from: &reader)
        node = try reader.optional(Node.self)
    }

    func encode(into writer: inout WireWriter) {
        index.encode(into: &writer)
        writer.optional(node)
    }
}
