import MildamWire

/// What an application calls a client; an extension of a leaf (RFC 9420, section 5.3.3).
///
///     opaque application_id<V>;
public struct ApplicationID: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Any bytes.
    public var bytes: [UInt8]

    /// A name of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}
