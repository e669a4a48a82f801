import MildamWire

/// What a message carries (RFC 9420, section 6).
public enum ContentType: UInt8, Hashable, Sendable, WireEncodable, WireDecodable {
    /// Something of the application's.
    case application = 1
    /// A proposal.
    case proposal = 2
    /// A commit.
    case commit = 3

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let type = ContentType(rawValue: try reader.integer()) else { throw .invalidValue(field: "content_type") }
        self = type
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.integer(rawValue) }
}
