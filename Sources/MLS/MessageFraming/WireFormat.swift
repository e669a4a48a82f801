import MildamWire

/// What an MLSMessage is (RFC 9420, section 17.2).
public enum WireFormat: UInt16, Hashable, Sendable, WireEncodable, WireDecodable {
    /// Signed, and readable by everybody.
    case publicMessage = 1
    /// Signed, and readable by members.
    case privateMessage = 2
    /// For new members.
    case welcome = 3
    /// For those who want to join.
    case groupInfo = 4
    /// Of one who can be added.
    case keyPackage = 5

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let format = WireFormat(rawValue: try reader.integer()) else { throw .invalidValue(field: "wire_format") }
        self = format
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.integer(rawValue) }
}
