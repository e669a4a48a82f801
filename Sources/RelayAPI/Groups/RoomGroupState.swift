import MildamWire

/// A room's present group as the relay keeps it: the answer of `GET /v1/rooms/ROOM/group`.
///
///     struct {
///         uint8 version = 1;
///         uint32 generation;
///         opaque group_id<V>;            // 1 to 255 bytes
///         uint64 epoch;
///         opaque tree_hash<V>;           // 1 to 64 bytes
///         uint64 next;
///         uint64 handshake;
///         uint64 due;
///         KeptGroupInfo group_infos<V>;  // 1 to 4
///         Proposal proposals<V>;         // each an MLSMessage as opaque<V>, 2 KiB at most; 1,000 at most
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
    /// The number that the room's next message will get.
    public let next: UInt64
    /// The number of the last proposal, commit or generation; 0 for none.
    public let handshake: UInt64
    /// The number of the first proposal that waits for a commit; 0 for none.
    public let due: UInt64
    /// The GroupInfos of the epoch whose keys differ: the one first that most accounts stand behind, and among equals that which
    /// came first. Who comes in from outside tries them in this order.
    public let groupInfos: [KeptGroupInfo]
    /// The proposals that wait, each as an MLSMessage, in the order of their numbers: a commit names them all.
    public let proposals: [[UInt8]]

    /// Makes a state.
    public init(
        generation: UInt32,
        groupID: [UInt8],
        epoch: UInt64,
        treeHash: [UInt8],
        next: UInt64,
        handshake: UInt64,
        due: UInt64,
        groupInfos: [KeptGroupInfo],
        proposals: [[UInt8]]
    ) {
        self.generation = generation
        self.groupID = groupID
        self.epoch = epoch
        self.treeHash = treeHash
        self.next = next
        self.handshake = handshake
        self.due = due
        self.groupInfos = groupInfos
        self.proposals = proposals
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
        next = try reader.number("next")
        handshake = try reader.number("handshake")
        due = try reader.number("due")
        var infos = try reader.nested()
        var groupInfos: [KeptGroupInfo] = []
        while infos.remaining > 0 {
            guard groupInfos.count < Limits.groupInfos else { throw .lengthOutOfRange(groupInfos.count + 1) }
            let info = try KeptGroupInfo(from: &infos)
            guard !groupInfos.contains(where: { $0.externalPub == info.externalPub }) else {
                throw .invalidValue(field: "external_pub")
            }
            groupInfos.append(info)
        }
        guard !groupInfos.isEmpty else { throw .lengthOutOfRange(0) }
        self.groupInfos = groupInfos
        var waiting = try reader.nested()
        var proposals: [[UInt8]] = []
        while waiting.remaining > 0 {
            guard proposals.count < Limits.proposals else { throw .lengthOutOfRange(proposals.count + 1) }
            proposals.append(try waiting.vector(in: 1...Limits.proposal))
        }
        self.proposals = proposals
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(generation)
        writer.vector(groupID)
        writer.integer(epoch)
        writer.vector(treeHash)
        writer.integer(next)
        writer.integer(handshake)
        writer.integer(due)
        writer.vector(of: groupInfos)
        writer.nested { writer in for proposal in proposals { writer.vector(proposal) } }
    }
}
