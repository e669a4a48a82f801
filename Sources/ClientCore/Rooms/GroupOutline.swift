import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What is known of a room's group while it lies in the store alone: who has a leaf, and what tells if there is
/// anything to do. So most rooms are followed without their group's keys in memory.
public struct GroupOutline: Hashable, Sendable {
    /// A leaf, as device lists name it.
    public struct Leaf: Hashable, Sendable {
        /// Whose device it is.
        public let account: AccountID
        /// The device.
        public let device: DeviceID
        /// How new the first list has to be that names it, or does so no longer.
        let since: ListVersion
        /// SHA-256 of the device's record, 32 bytes.
        let recordDigest: [UInt8]
    }

    /// The group's name.
    package let groupID: GroupID
    /// The room's generation that it is.
    public let generation: UInt64
    /// Its epoch.
    public let epoch: UInt64
    /// Whether this device is no longer in it, or the account has left the room or was put out.
    private(set) var isEnded: Bool
    /// SHA-256 of what this device's leaf says of it, 32 bytes.
    let ownCredential: [UInt8]
    /// Who is in the group, from the left.
    public let leaves: [Leaf]
    /// The accounts that have a seat, ascending.
    let seats: [AccountID]

    /// What is known of a group.
    ///
    /// - Parameter isOut: whether the account is out of the room, whatever the group says.
    init(of group: Group, generation: UInt64, members: RoomMembers?, isOut: Bool) {
        let identity: [UInt8] =
            if case .basic(let identity)? = group.publicGroup[group.ownLeaf]?.credential { identity } else { [] }
        groupID = group.publicGroup.context.groupID
        self.generation = generation
        epoch = group.publicGroup.context.epoch
        isEnded = isOut || group.ending != nil
        ownCredential = GroupOutline.digest(identity)
        leaves = (members?.leaves ?? [:]).sorted { $0.key < $1.key }.map { Leaf($0.value) }
        seats = (members?.room.seats.keys).map { $0.sorted() } ?? []
    }

    /// The account is out of the room.
    mutating func end() { isEnded = true }

    /// SHA-256 of the identity that a credential of a device has.
    static func digest(_ identity: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: identity)) }
}

extension GroupOutline.Leaf {
    init(_ leaf: RoomLeaf) {
        account = leaf.account
        device = leaf.device
        since = ListVersion(rotation: leaf.identity.rotation, number: leaf.since)
        recordDigest = leaf.recordDigest
    }

    /// Reads a leaf.
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        since = try ListVersion(from: &reader)
        recordDigest = try reader.fixed(32)
    }

    fileprivate func store(into writer: inout WireWriter) {
        account.encode(into: &writer)
        device.encode(into: &writer)
        since.encode(into: &writer)
        writer.fixed(recordDigest)
    }
}

/// An outline as it is stored.
extension GroupOutline {
    /// Reads an outline.
    package init(storedForm bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        groupID = try GroupID(from: &reader)
        generation = try reader.integer()
        epoch = try reader.integer()
        isEnded = try reader.flag()
        ownCredential = try reader.fixed(32)
        leaves = try reader.list { (reader) throws(WireError) in try Leaf(stored: &reader) }
        seats = try reader.list { (reader) throws(WireError) in try AccountID(from: &reader) }
        try reader.finish()
    }

    /// The outline: 76 bytes for each leaf, 16 for each seat, and some 90.
    package var storedForm: [UInt8] {
        var writer = WireWriter(capacity: 128 + 76 * leaves.count + 16 * seats.count)
        groupID.encode(into: &writer)
        writer.integer(generation)
        writer.integer(epoch)
        writer.flag(isEnded)
        writer.fixed(ownCredential)
        writer.list(leaves) { $1.store(into: &$0) }
        writer.list(seats) { $1.encode(into: &$0) }
        return writer.bytes
    }
}
