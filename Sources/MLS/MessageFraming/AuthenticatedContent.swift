import MildamWire

/// A message before it is made public or private, and what was read of one (RFC 9420, section 6). Nothing of it was checked.
///
///     struct {
///         WireFormat wire_format;
///         FramedContent content;
///         FramedContentAuthData auth;
///     } AuthenticatedContent;
struct AuthenticatedContent: Hashable, Sendable, WireEncodable, WireDecodable {
    var wireFormat: WireFormat
    var content: FramedContent
    var auth: FramedContentAuthData

    init(wireFormat: WireFormat, content: FramedContent, auth: FramedContentAuthData) {
        self.wireFormat = wireFormat
        self.content = content
        self.auth = auth
    }

    init(from reader: inout WireReader) throws(WireError) {
        wireFormat = try WireFormat(from: &reader)
        content = try FramedContent(from: &reader)
        auth = try FramedContentAuthData(of: content.body.type, from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        wireFormat.encode(into: &writer)
        content.encode(into: &writer)
        auth.encode(into: &writer)
    }
}
