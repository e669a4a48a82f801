import MildamCrypto
import MildamWire

@testable import MildamMLS

/// What a member sends who keeps to no rule: signed, tagged and encrypted as it has to be, whatever it says.
extension Group {
    /// A message of any content.
    ///
    /// - Parameters:
    ///   - sender: oneself, unless named.
    ///   - key: one's own, unless named.
    ///   - change: what is done to it once it is signed.
    func forged(
        _ body: FramedContent.Body,
        from sender: Sender? = nil,
        signedBy key: AnySigningKey? = nil,
        as format: WireFormat = .publicMessage,
        change: (inout AuthenticatedContent) -> Void = { _ in }
    ) throws -> MLSMessage {
        var content = try framed(body, [])
        content.sender = sender ?? content.sender
        var message = try suite.authenticate(
            content,
            format,
            context: publicGroup.contextBytes,
            by: key ?? signer
        )
        if content.body.type == .commit {
            message.auth.confirmationTag = [UInt8](repeating: 1, count: suite.secretSize)
        }
        change(&message)
        return try forged(message)
    }

    /// A message as it is sent; the keys of a private one are those of whoever it says it is from.
    func forged(_ message: AuthenticatedContent) throws -> MLSMessage {
        guard message.wireFormat == .privateMessage, let leaf = message.content.sender.member else {
            return .publicMessage(
                suite.makePublic(
                    message,
                    membershipKey: epoch.secrets.membershipKey,
                    context: publicGroup.contextBytes
                )
            )
        }
        var secretTree = epoch.secretTree
        let (generation, key) = try secretTree.next(leaf, message.content.body.type, suite)
        return .privateMessage(
            try suite.makePrivate(
                message,
                from: leaf,
                generation,
                key,
                senderDataSecret: epoch.secrets.senderData,
                padding: 0,
                .system
            )
        )
    }

    /// A proposal of one's own.
    func forged(_ proposal: Proposal) throws -> MLSMessage { try forged(.proposal(proposal)) }

    /// An Update of one's own.
    func forgedUpdate(_ change: (inout LeafNodeContent) -> Void) throws -> MLSMessage {
        guard var content = publicGroup.tree[own.leaf]?.content else { throw MLSError.inactive }
        content.encryptionKey = HPKEPublicKey(HPKE.PrivateKey.generate(kem: suite.hpke.kem).publicKey.serialized)
        content.source = .update
        change(&content)
        return try forged(.update(suite.sign(content, at: ownPlace, by: signer)))
    }

    /// A GroupInfo of any tree and context, whose hash is right.
    ///
    /// - Parameter nodes: the tree as it is sent.
    func forgedInfo(
        _ tree: RatchetTree? = nil,
        nodes: [Node?]? = nil,
        change: (inout GroupInfoContent) -> Void = { _ in }
    ) throws -> GroupInfo {
        var tree = tree ?? publicGroup.tree
        var context = publicGroup.context
        context.treeHash = tree.rootHash()
        let sent = RatchetTree.Nodes(nodes ?? tree.nodes)
        var content = GroupInfoContent(
            groupContext: context,
            extensions: Extensions([
                Extension(type: .ratchetTree, data: sent.wireBytes),
                Extension(type: .externalPub, data: try suite.externalPub(epoch.secrets.external).wireBytes),
            ]),
            confirmationTag: publicGroup.confirmationTag,
            signer: own.leaf
        )
        change(&content)
        return try suite.sign(content, by: signer)
    }
}

extension KeyPackageBundle {
    /// The key package after a change of what it says, signed anew, its leaf first.
    func forged(
        leaf changeLeaf: (inout LeafNodeContent) -> Void = { _ in },
        signedBy key: AnySigningKey? = nil,
        content change: (inout KeyPackageContent) -> Void = { _ in }
    ) throws -> KeyPackage {
        let signer = key ?? signer
        let suite = try Suite.of(keyPackage.cipherSuite)
        var (content, leaf) = (keyPackage.content, keyPackage.leafNode.content)
        changeLeaf(&leaf)
        content.leafNode = try suite.sign(leaf, at: nil, by: signer)
        change(&content)
        return try suite.sign(content, by: signer)
    }
}

extension [UInt8] {
    /// The bytes with a bit of the last one changed.
    var flipped: [UInt8] {
        var bytes = self
        if let last = bytes.indices.last { bytes[last] ^= 1 }
        return bytes
    }
}
