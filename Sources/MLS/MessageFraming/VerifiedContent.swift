/// A message whose sender was found to be who it says (RFC 9420, section 6.1). It is made by verification only.
struct VerifiedContent: Sendable {
    let message: AuthenticatedContent

    fileprivate init(_ message: AuthenticatedContent) { self.message = message }

    var content: FramedContent { message.content }
}

extension PublicGroup {
    /// Holds a message against its sender's key.
    func verify(_ message: AuthenticatedContent) throws(MLSError) -> VerifiedContent {
        let key = try signatureKey(of: message.content)
        try require(.signatureIsValid, suite.isAuthentic(message, context: contextBytes, by: key))
        return VerifiedContent(message)
    }

    /// The key that a message has to be signed with.
    private func signatureKey(of content: FramedContent) throws(MLSError) -> SignaturePublicKey {
        switch content.sender {
        case .member(let index):
            return try required(.senderIsMember, tree[index]?.signatureKey)
        case .external(let place):
            let key = try required(.externalSenderIsListed, externalSender(place)?.signatureKey)
            let proposal = try required(.externalSendersPropose, content.body.proposal)
            try require(.externalProposalIsOfAllowedType, proposal.type.isForExternalSenders)
            return key
        case .newMemberProposal:
            return try required(.newMemberProposesAdd, content.body.proposal?.keyPackage?.leafNode.signatureKey)
        case .newMemberCommit:
            let commit = try required(.newMemberCommits, content.body.commit)
            return try required(.externalCommitHasPath, commit.path?.leafNode.signatureKey)
        }
    }

    private func externalSender(_ place: UInt32) throws(MLSError) -> ExternalSender? {
        do {
            let senders = try context.extensions.read(.externalSenders, as: ExternalSenders.self)?.list ?? []
            return place < senders.count ? senders[Int(place)] : nil
        } catch {
            throw .malformed(error)
        }
    }
}
