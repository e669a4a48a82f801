import MildamCrypto

/// Messages that are not encrypted (RFC 9420, section 6.2).
extension Suite {
    /// The message as it is sent; a member's with a membership tag.
    func makePublic(
        _ message: AuthenticatedContent,
        membershipKey: SymmetricKey?,
        context: [UInt8]
    ) -> PublicMessage {
        var tag: [UInt8]?
        if case .member = message.content.sender, let membershipKey {
            tag = hash.authenticationCode(
                for: taggedContent(message, context: context).span,
                using: membershipKey
            )
        }
        return PublicMessage(content: message.content, auth: message.auth, membershipTag: tag)
    }

    /// What a message says, if its sender is one who may send it so; the signature is not looked at.
    func open(
        _ message: PublicMessage,
        membershipKey: SymmetricKey,
        context: [UInt8]
    ) throws(MLSError) -> AuthenticatedContent {
        let content = message.authenticatedContent
        try require(.applicationDataIsEncrypted, message.content.body.type != .application)
        if case .member = message.content.sender {
            let tagged = taggedContent(content, context: context)
            let tag = message.membershipTag ?? []
            try require(
                .membershipTagIsValid,
                hash.isValidAuthenticationCode(tag.span, for: tagged.span, using: membershipKey)
            )
        }
        return content
    }
}
