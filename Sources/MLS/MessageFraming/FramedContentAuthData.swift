import MildamWire

/// What vouches for a message (RFC 9420, section 6.1).
///
///     struct {
///         opaque signature<V>;
///         select (FramedContent.content_type) {
///             case commit: MAC confirmation_tag;
///             case application:
///             case proposal: struct{};
///         };
///     } FramedContentAuthData;
public struct FramedContentAuthData: Hashable, Sendable, WireEncodable {
    /// The sender's signature, with the label "FramedContentTBS".
    public var signature: [UInt8]
    /// Of a commit: that its sender came to the new epoch's secrets.
    public var confirmationTag: [UInt8]?

    init(signature: [UInt8], confirmationTag: [UInt8]? = nil) {
        self.signature = signature
        self.confirmationTag = confirmationTag
    }

    init(of type: ContentType, from reader: inout WireReader) throws(WireError) {
        signature = try reader.vector()
        confirmationTag = type == .commit ? try reader.vector() : nil
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.vector(signature)
        if let confirmationTag { writer.vector(confirmationTag) }
    }
}
