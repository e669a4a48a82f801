import MildamWire

/// The body of `PUT /v1/rooms/ROOM/group-info`: the GroupInfo that a member has of the present epoch. Where the relay has one with
/// the same key for joining from outside, it only counts that this account stands behind it.
///
///     struct {
///         uint8 version = 1;
///         uint32 generation;
///         uint64 epoch;
///         opaque group_info<V>;    // an MLSMessage, 1 byte to 128 KiB
///     } GroupInfoRequest;
public struct GroupInfoRequest: Hashable, Sendable {
    /// Which of the room's groups it is of.
    public let generation: UInt32
    /// The epoch.
    public let epoch: UInt64
    /// The GroupInfo without the tree, signed by the calling device, encoded.
    public let groupInfo: [UInt8]

    /// Makes a request.
    public init(generation: UInt32, epoch: UInt64, groupInfo: [UInt8]) {
        self.generation = generation
        self.epoch = epoch
        self.groupInfo = groupInfo
    }
}

extension GroupInfoRequest: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        generation = try reader.integer()
        epoch = try reader.number("epoch")
        groupInfo = try reader.vector(in: 1...Limits.groupInfo)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(generation)
        writer.integer(epoch)
        writer.vector(groupInfo)
    }
}
