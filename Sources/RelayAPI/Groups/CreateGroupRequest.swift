import MildamWire

/// The body of `PUT /v1/rooms/ROOM/group`: a room that begins as an MLS group of one leaf. The room's id is the client's choice,
/// and stands in the group's context, so that a retry makes no second room.
///
///     struct {
///         uint8 version = 1;
///         opaque group_info<V>;      // GroupInfo of epoch 0, 128 KiB at most
///         opaque ratchet_tree<V>;    // as in the extension ratchet_tree, 64 KiB at most
///     } CreateGroupRequest;
public struct CreateGroupRequest: Hashable, Sendable {
    /// The GroupInfo of the first epoch, encoded.
    public let groupInfo: [UInt8]
    /// The tree, encoded.
    public let ratchetTree: [UInt8]

    /// Makes a request.
    public init(groupInfo: [UInt8], ratchetTree: [UInt8]) {
        self.groupInfo = groupInfo
        self.ratchetTree = ratchetTree
    }
}

extension CreateGroupRequest: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        groupInfo = try reader.vector(in: 1...Limits.groupInfo)
        ratchetTree = try reader.vector(in: 1...Limits.firstTree)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.vector(groupInfo)
        writer.vector(ratchetTree)
    }
}
