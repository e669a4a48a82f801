import MildamIdentity
import MildamMLS
import MildamWire

/// What a room was before the present group (H4, H9, H28).
///
///     enum { group(1), group_key(2), (255) } PreviousKind;
///     struct {
///         PreviousKind kind;
///         opaque group<V>;       // the group's id, or the room's
///         uint64 position;       // the last epoch, or the last number
///         opaque sha256[32];     // of the GroupContext, or the running hash
///     } PreviousGroup;
public struct PreviousGroup: Hashable, Sendable, WireEncodable, WireDecodable {
    /// What kind of room it was.
    public enum Kind: UInt8, Sendable {
        /// An MLS group, the generation before.
        case group = 1
        /// A room with one key per generation.
        case groupKey = 2
    }

    /// The size of the hash, in bytes.
    public static let hashSize = 32

    /// What kind of room it was.
    public let kind: Kind
    /// Its name: a group's id, or a room's 16 bytes.
    public let group: [UInt8]
    /// The last epoch, or the last number.
    public let position: UInt64
    /// SHA-256 of the group's last context, or the running hash, 32 bytes.
    public let hash: [UInt8]

    /// An MLS group that ended with this context.
    public init(endingWith context: GroupContext) {
        kind = .group
        group = context.groupID.bytes
        position = context.epoch
        hash = RoomHash.of(context)
    }

    /// A room with one key per generation.
    ///
    /// - Precondition: the running hash has 32 bytes.
    public init(room: RoomID, lastNumber: UInt64, runningHash: [UInt8]) {
        precondition(runningHash.count == PreviousGroup.hashSize, "a running hash")
        kind = .groupKey
        group = room.bytes
        position = lastNumber
        hash = runningHash
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let kind = Kind(rawValue: try reader.integer(UInt8.self)) else { throw .invalidValue(field: "kind") }
        self.kind = kind
        group = try reader.vector()
        position = try reader.integer()
        hash = try reader.fixed(PreviousGroup.hashSize)
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.integer(kind.rawValue)
        writer.vector(group)
        writer.integer(position)
        writer.fixed(hash)
    }
}
