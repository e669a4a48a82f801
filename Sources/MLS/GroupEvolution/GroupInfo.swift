import MildamWire

/// What one needs to know of a group to join it (RFC 9420, section 12.4.3). One that was read is as good as its sender until
/// it was validated.
///
///     struct {
///         GroupContext group_context;
///         Extension extensions<V>;
///         MAC confirmation_tag;
///         uint32 signer;
///         opaque signature<V>;
///     } GroupInfo;
public struct GroupInfo: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The group's state.
    public let groupContext: GroupContext
    /// The tree, the key for joining from outside, and whatever else is useful.
    public let extensions: Extensions
    /// Of the commit that began the epoch.
    public let confirmationTag: [UInt8]
    /// The member who says so.
    public let signer: LeafIndex
    /// The member's signature, with the label "GroupInfoTBS".
    public let signature: [UInt8]

    init(_ content: GroupInfoContent, signature: [UInt8]) {
        groupContext = content.groupContext
        extensions = content.extensions
        confirmationTag = content.confirmationTag
        signer = content.signer
        self.signature = signature
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init(try GroupInfoContent(from: &reader), signature: try reader.vector())
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        content.encode(into: &writer)
        writer.vector(signature)
    }

    /// All of it but the signature.
    var content: GroupInfoContent {
        GroupInfoContent(
            groupContext: groupContext,
            extensions: extensions,
            confirmationTag: confirmationTag,
            signer: signer
        )
    }
}

/// What a GroupInfo says, before it is signed: GroupInfoTBS (RFC 9420, section 12.4.3).
struct GroupInfoContent: Hashable, Sendable, WireEncodable, WireDecodable {
    var groupContext: GroupContext
    var extensions: Extensions
    var confirmationTag: [UInt8]
    var signer: LeafIndex

    init(groupContext: GroupContext, extensions: Extensions, confirmationTag: [UInt8], signer: LeafIndex) {
        self.groupContext = groupContext
        self.extensions = extensions
        self.confirmationTag = confirmationTag
        self.signer = signer
    }

    init(from reader: inout WireReader) throws(WireError) {
        groupContext = try GroupContext(from: &reader)
        extensions = try Extensions(from: &reader)
        confirmationTag = try reader.vector()
        signer = try LeafIndex(from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        groupContext.encode(into: &writer)
        extensions.encode(into: &writer)
        writer.vector(confirmationTag)
        signer.encode(into: &writer)
    }
}
