import MildamWire

/// A message that members can read (RFC 9420, section 6.3).
///
///     struct {
///         opaque group_id<V>;
///         uint64 epoch;
///         ContentType content_type;
///         opaque authenticated_data<V>;
///         opaque encrypted_sender_data<V>;
///         opaque ciphertext<V>;
///     } PrivateMessage;
public struct PrivateMessage: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The group.
    public let groupID: GroupID
    /// The epoch it was sent in.
    public let epoch: UInt64
    /// What it carries.
    public let contentType: ContentType
    /// What the sender says openly, and signed.
    public let authenticatedData: [UInt8]
    /// Who sent it, and under which key.
    public let encryptedSenderData: [UInt8]
    /// The content, the signature, the padding.
    public let ciphertext: [UInt8]

    init(
        groupID: GroupID,
        epoch: UInt64,
        contentType: ContentType,
        authenticatedData: [UInt8],
        encryptedSenderData: [UInt8],
        ciphertext: [UInt8]
    ) {
        self.groupID = groupID
        self.epoch = epoch
        self.contentType = contentType
        self.authenticatedData = authenticatedData
        self.encryptedSenderData = encryptedSenderData
        self.ciphertext = ciphertext
    }

    /// Reads a message.
    public init(from reader: inout WireReader) throws(WireError) {
        groupID = try GroupID(from: &reader)
        epoch = try reader.integer()
        contentType = try ContentType(from: &reader)
        authenticatedData = try reader.vector()
        encryptedSenderData = try reader.vector()
        ciphertext = try reader.vector()
    }

    /// Appends the message.
    public func encode(into writer: inout WireWriter) {
        groupID.encode(into: &writer)
        writer.integer(epoch)
        contentType.encode(into: &writer)
        writer.vector(authenticatedData)
        writer.vector(encryptedSenderData)
        writer.vector(ciphertext)
    }
}
