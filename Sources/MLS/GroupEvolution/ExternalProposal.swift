import MildamCrypto

/// Proposals from outside a group (RFC 9420, section 12.1.8). They are PublicMessages.
public enum ExternalProposal {
    /// A proposal of one whom the group's `external_senders` name.
    ///
    /// - Parameters:
    ///   - sender: the place in that list.
    ///   - signer: the key that the list has there.
    /// - Throws: `unknownCipherSuite`, `signingFailed`; `invalid(.externalProposalIsOfAllowedType)`.
    public static func message(
        _ proposal: Proposal,
        to context: GroupContext,
        from sender: UInt32,
        signer: SignatureKeyPair
    ) throws(MLSError) -> MLSMessage {
        try require(.externalProposalIsOfAllowedType, proposal.type.isForExternalSenders)
        return try message(proposal, context.groupID, context.epoch, .external(sender), signer.key, context.cipherSuite)
    }

    /// A proposal to be added oneself.
    ///
    /// - Throws: `unknownCipherSuite`, `signingFailed`.
    public static func addition(
        of bundle: KeyPackageBundle,
        to group: GroupID,
        epoch: UInt64
    ) throws(MLSError) -> MLSMessage {
        let keyPackage = bundle.keyPackage
        return try message(
            .add(keyPackage),
            group,
            epoch,
            .newMemberProposal,
            bundle.signer,
            keyPackage.cipherSuite
        )
    }

    private static func message(
        _ proposal: Proposal,
        _ group: GroupID,
        _ epoch: UInt64,
        _ sender: Sender,
        _ key: AnySigningKey,
        _ cipherSuite: CipherSuite
    ) throws(MLSError) -> MLSMessage {
        let suite = try Suite.of(cipherSuite)
        let content = FramedContent(
            groupID: group,
            epoch: epoch,
            sender: sender,
            authenticatedData: [],
            body: .proposal(proposal)
        )
        // Neither sender's signature has the group's context in it.
        let message = try suite.authenticate(content, .publicMessage, context: [], by: key)
        return .publicMessage(suite.makePublic(message, membershipKey: nil, context: []))
    }
}
