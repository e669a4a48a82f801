import MildamWire

/// A room's present group as the relay keeps it: the answer of `GET /v1/rooms/ROOM/group`.
///
///     struct {
///         uint8 version = 1;
///         uint32 generation;
///         opaque group_id<V>;        // 1 to 255 bytes
///         uint64 epoch;
///         opaque tree_hash<V>;       // 1 to 64 bytes
///         uint64 handshake;
///         uint64 due;
///         opaque group_info<V>;      // 128 KiB at most
///     } RoomGroupState;
public struct RoomGroupState: Hashable, Sendable {
    /// Which of the room's groups it is.
    public let generation: UInt32
    /// The group's id.
    public let groupID: [UInt8]
    /// Its epoch.
    public let epoch: UInt64
    /// The hash of the tree in that epoch.
    public let treeHash: [UInt8]
    /// The number of the last proposal or commit; 0 for none.
    public let handshake: UInt64
    /// The number of the first proposal that waits for a commit; 0 for none.
    public let due: UInt64
    /// The GroupInfo of the epoch, as its committer gave it.
    public let groupInfo: [UInt8]

    /// Makes a state.
    public init(
        generation: UInt32,
        groupID: [UInt8],
        epoch: UInt64,
        treeHash: [UInt8],
        handshake: UInt64,
        due: UInt64,
        groupInfo: [UInt8]
    ) {
        self.generation = generation
        self.groupID = groupID
        self.epoch = epoch
        self.treeHash = treeHash
        self.handshake = handshake
        self.due = due
        self.groupInfo = groupInfo
    }
}

extension RoomGroupState: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        generation = try reader.integer()
        groupID = try reader.vector(in: 1...255)
        epoch = try reader.number("epoch")
        treeHash = try reader.vector(in: 1...64)
        handshake = try reader.number("handshake")
        due = try reader.number("due")
        groupInfo = try reader.vector(in: 1...Limits.groupInfo)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(generation)
        writer.vector(groupID)
        writer.integer(epoch)
        writer.vector(treeHash)
        writer.integer(handshake)
        writer.integer(due)
        writer.vector(groupInfo)
    }
}
