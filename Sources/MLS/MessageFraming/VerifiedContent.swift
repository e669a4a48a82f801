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
            guard let leaf = tree[index] else { throw .invalid(.senderIsMember) }
            return leaf.signatureKey
        case .external(let place):
            guard let sender = try externalSender(place) else { throw .invalid(.externalSenderIsListed) }
            guard case .proposal(let proposal) = content.body else { throw .invalid(.externalSendersPropose) }
            try require(.externalProposalIsOfAllowedType, proposal.type.isForExternalSenders)
            return sender.signatureKey
        case .newMemberProposal:
            guard case .proposal(.add(let keyPackage)) = content.body else { throw .invalid(.newMemberProposesAdd) }
            return keyPackage.leafNode.signatureKey
        case .newMemberCommit:
            guard case .commit(let commit) = content.body else { throw .invalid(.newMemberCommits) }
            guard let path = commit.path else { throw .invalid(.externalCommitHasPath) }
            return path.leafNode.signatureKey
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
