import MildamWire

/// A message that is signed and not encrypted (RFC 9420, section 6.2). One that was read is as good as its sender until a
/// group has verified it.
///
///     struct {
///         FramedContent content;
///         FramedContentAuthData auth;
///         select (PublicMessage.content.sender.sender_type) {
///             case member: MAC membership_tag;
///             case external:
///             case new_member_commit:
///             case new_member_proposal: struct{};
///         };
///     } PublicMessage;
public struct PublicMessage: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The content.
    public let content: FramedContent
    /// What vouches for it.
    public let auth: FramedContentAuthData
    /// Of a member's: that they know the epoch's secrets.
    public let membershipTag: [UInt8]?

    init(content: FramedContent, auth: FramedContentAuthData, membershipTag: [UInt8]?) {
        self.content = content
        self.auth = auth
        self.membershipTag = membershipTag
    }

    /// Reads a message.
    public init(from reader: inout WireReader) throws(WireError) {
        content = try FramedContent(from: &reader)
        auth = try FramedContentAuthData(of: content.body.type, from: &reader)
        if case .member = content.sender { membershipTag = try reader.vector() } else { membershipTag = nil }
    }

    /// Appends the message.
    public func encode(into writer: inout WireWriter) {
        content.encode(into: &writer)
        auth.encode(into: &writer)
        if let membershipTag { writer.vector(membershipTag) }
    }

    var authenticatedContent: AuthenticatedContent {
        AuthenticatedContent(wireFormat: .publicMessage, content: content, auth: auth)
    }
}
