import MildamCrypto
import MildamWire

/// What vouches for a message's content (RFC 9420, section 6.1).
extension Suite {
    /// The bytes that are signed.
    ///
    ///     struct {
    ///         ProtocolVersion version = mls10;
    ///         WireFormat wire_format;
    ///         FramedContent content;
    ///         select (FramedContentTBS.content.sender.sender_type) {
    ///             case member:
    ///             case new_member_commit: GroupContext context;
    ///             case external:
    ///             case new_member_proposal: struct{};
    ///         };
    ///     } FramedContentTBS;
    ///
    /// - Parameter context: the group's context, encoded.
    func signedContent(_ format: WireFormat, _ content: FramedContent, context: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 1024)
        ProtocolVersion.mls10.encode(into: &writer)
        format.encode(into: &writer)
        content.encode(into: &writer)
        switch content.sender {
        case .member, .newMemberCommit: writer.fixed(context)
        case .external, .newMemberProposal: break
        }
        return writer.takeBytes()
    }

    /// The tag that shows that a sender knows the epoch's secrets (RFC 9420, section 6.2).
    ///
    ///     struct {
    ///       FramedContentTBS content_tbs;
    ///       FramedContentAuthData auth;
    ///     } AuthenticatedContentTBM;
    func taggedContent(_ message: AuthenticatedContent, context: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 1024)
        writer.fixed(signedContent(message.wireFormat, message.content, context: context))
        message.auth.encode(into: &writer)
        return writer.takeBytes()
    }

    /// A content with its sender's signature; a commit's confirmation tag comes later.
    func authenticate(
        _ content: FramedContent,
        _ format: WireFormat,
        context: [UInt8],
        by key: AnySigningKey
    ) throws(MLSError) -> AuthenticatedContent {
        let signed = signedContent(format, content, context: context)
        return AuthenticatedContent(
            wireFormat: format,
            content: content,
            auth: FramedContentAuthData(signature: try sign(signed, .framedContent, by: key))
        )
    }

    /// Whether a message is its sender's.
    func isAuthentic(_ message: AuthenticatedContent, context: [UInt8], by key: SignaturePublicKey) -> Bool {
        isValid(
            message.auth.signature,
            of: signedContent(message.wireFormat, message.content, context: context),
            .framedContent,
            by: key
        )
    }
}
