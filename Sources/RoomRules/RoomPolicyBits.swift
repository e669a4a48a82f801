import MildamWire

/// What members may do without a role: `uint32` (H5, H25).
public struct RoomPolicyBits: OptionSet, Hashable, Sendable, WireEncodable, WireDecodable {
    /// The bits.
    public let rawValue: UInt32

    /// These bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every member may bring an account in.
    public static let membersInvite = RoomPolicyBits(rawValue: 1)
    /// Every member may put an account out, but for an owner's.
    public static let membersRemove = RoomPolicyBits(rawValue: 2)
    /// Every member may change what the room is called, and its timer.
    public static let membersDescribe = RoomPolicyBits(rawValue: 4)
    /// The room is of one account's devices alone. It is so from the beginning, and stays so.
    public static let isSelf = RoomPolicyBits(rawValue: 8)

    private static let known: RoomPolicyBits = [.membersInvite, .membersRemove, .membersDescribe, .isSelf]

    /// Reads the bits.
    ///
    /// - Throws: `invalidValue` for a bit without a name.
    public init(from reader: inout WireReader) throws(WireError) {
        rawValue = try reader.integer()
        guard isSubset(of: RoomPolicyBits.known) else { throw .invalidValue(field: "policy") }
    }

    /// Appends the bits.
    public func encode(into writer: inout WireWriter) { writer.integer(rawValue) }
}
