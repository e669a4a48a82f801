import MildamCrypto

extension Suite {
    /// A leaf with its owner's signature.
    func sign(_ content: LeafNodeContent, at place: LeafPlace?, by key: AnySigningKey) throws(MLSError) -> LeafNode {
        LeafNode(content, signature: try sign(content.signed(in: place), .leafNode, by: key))
    }

    /// Whether a leaf was signed with its own key, for this place in this group.
    func isAuthentic(_ leaf: LeafNode, at place: LeafPlace?) -> Bool {
        isValid(leaf.signature, of: leaf.signed(in: place), .leafNode, by: leaf.signatureKey)
    }

    /// A key package with its owner's signature.
    func sign(_ content: KeyPackageContent, by key: AnySigningKey) throws(MLSError) -> KeyPackage {
        KeyPackage(content, signature: try sign(content.wireBytes, .keyPackage, by: key))
    }

    /// Whether a key package was signed with its leaf's key.
    func isAuthentic(_ keyPackage: KeyPackage) -> Bool {
        isValid(
            keyPackage.signature,
            of: keyPackage.content.wireBytes,
            .keyPackage,
            by: keyPackage.leafNode.signatureKey
        )
    }

    /// A GroupInfo with a member's signature.
    func sign(_ content: GroupInfoContent, by key: AnySigningKey) throws(MLSError) -> GroupInfo {
        GroupInfo(content, signature: try sign(content.wireBytes, .groupInfo, by: key))
    }

    /// Whether a GroupInfo was signed with this key.
    func isAuthentic(_ groupInfo: GroupInfo, by key: SignaturePublicKey) -> Bool {
        isValid(groupInfo.signature, of: groupInfo.content.wireBytes, .groupInfo, by: key)
    }
}
