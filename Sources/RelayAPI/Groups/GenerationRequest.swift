import MildamIdentity
import MildamWire

/// The body of `POST /v1/rooms/ROOM/generations`: a new group of the room, of one leaf, in the place of the present one.
///
///     struct {
///         uint8 version = 1;
///         opaque id[16];
///         uint32 generation;       // the one that ends
///         uint64 epoch;            // the one in which it ends
///         uint64 seen;             // the last number that the sender has
///         opaque group_info<V>;    // an MLSMessage, 1 byte to 128 KiB
///     } GenerationRequest;
public struct GenerationRequest: Hashable, Sendable {
    /// The id that the device chose; a retry has the same.
    public let id: MessageID
    /// The generation that ends.
    public let generation: UInt32
    /// The epoch in which it ends.
    public let epoch: UInt64
    /// The last number that the sender has of the room: where its epoch is over, the refusal brings what is behind it.
    public let seen: UInt64
    /// The GroupInfo of the next group's first epoch, with its tree, encoded: the log has it as it is.
    public let groupInfo: [UInt8]

    /// Makes a request.
    public init(id: MessageID, generation: UInt32, epoch: UInt64, seen: UInt64, groupInfo: [UInt8]) {
        self.id = id
        self.generation = generation
        self.epoch = epoch
        self.seen = seen
        self.groupInfo = groupInfo
    }
}

extension GenerationRequest: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        id = try MessageID(from: &reader)
        generation = try reader.integer()
        epoch = try reader.number("epoch")
        seen = try reader.number("seen")
        groupInfo = try reader.vector(in: 1...Limits.groupInfo)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        id.encode(into: &writer)
        writer.integer(generation)
        writer.integer(epoch)
        writer.integer(seen)
        writer.vector(groupInfo)
    }
}
