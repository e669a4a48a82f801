/// Descriptions of a group by its members (RFC 9420, section 12.4.3).
extension PublicGroup {
    /// Whether a GroupInfo describes this group as it is: what a delivery service asks of one that comes with a commit.
    ///
    /// That the key for joining from outside is that of the epoch, only members see.
    ///
    /// - Throws: `malformed`; `invalid`.
    public func verify(_ info: GroupInfo) throws(MLSError) {
        let sentTree = info.extensions[.ratchetTree]
        try require(
            .groupInfoIsOfGroup,
            info.groupContext == context && info.confirmationTag == confirmationTag
                && (sentTree == nil || sentTree == RatchetTree.Nodes(tree.nodes).wireBytes)
        )
        try require(.groupInfoExtensionsAreDistinct, info.extensions.areDistinct)
        try info.checkExternalPub(suite)
        let signatureKey = try required(.groupInfoSignerIsMember, tree[info.signer]?.signatureKey)
        try require(.groupInfoSignatureIsValid, suite.isAuthentic(info, by: signatureKey))
    }

    /// Whether it was this commit that led to the epoch which the group is in: each epoch has a confirmation tag of its own, which
    /// its members alone can make, and which is the commit's. Of a commit that was taken in before nothing else is looked at.
    public func isOutcome(of commit: PublicMessage) -> Bool {
        commit.content.groupID == context.groupID && commit.auth.confirmationTag == confirmationTag
    }
}

extension GroupInfo {
    /// Whether something can be encrypted to the key for joining from outside, where there is one.
    func checkExternalPub(_ suite: Suite) throws(MLSError) {
        let key: HPKEPublicKey?
        do { key = try extensions.read(.externalPub, as: HPKEPublicKey.self) } catch { throw .malformed(error) }
        try require(.externalPubIsValid, key.map { suite.isValid($0) } ?? true)
    }
}
