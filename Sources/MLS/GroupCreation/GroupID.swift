import MildamWire

/// A group's name, as its creator chose it: `opaque group_id<V>` (RFC 9420, section 8.1).
public struct GroupID: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Any bytes.
    public let bytes: [UInt8]

    /// A name of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}
