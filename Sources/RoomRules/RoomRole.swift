import MildamWire

/// What an account may do in a room (H5): `uint8`. Those that are not listed are members.
public enum RoomRole: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    /// Talks.
    case member = 0
    /// Brings in and puts out.
    case admin = 1
    /// Says who may do what.
    case owner = 2

    /// Whether the first may do less.
    public static func < (left: RoomRole, right: RoomRole) -> Bool { left.rawValue < right.rawValue }
}

extension RoomRole: WireEncodable, WireDecodable {
    /// Reads a role.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let role = RoomRole(rawValue: try reader.integer(UInt8.self)) else { throw .invalidValue(field: "role") }
        self = role
    }

    /// Appends the role.
    public func encode(into writer: inout WireWriter) { writer.integer(rawValue) }
}
