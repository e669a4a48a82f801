import MildamWire

/// A key that something is encrypted to, as its KEM writes it: `opaque HPKEPublicKey<V>` (RFC 9420, section 5.1.1).
public struct HPKEPublicKey: Hashable, Sendable, WireEncodable, WireDecodable {
    /// 32 bytes for X25519, 56 for X448, an uncompressed point of 65, 97 or 133 for the curves of NIST.
    public let bytes: [UInt8]

    /// A key of these bytes; whether they are one is seen when it is used.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}

/// A key that signatures are held against: `opaque SignaturePublicKey<V>` (RFC 9420, section 5.1.1).
public struct SignaturePublicKey: Hashable, Sendable, WireEncodable, WireDecodable {
    /// 32 bytes for Ed25519, 57 for Ed448, an uncompressed point of 65, 97 or 133 for the curves of NIST.
    public let bytes: [UInt8]

    /// A key of these bytes; whether they are one is seen when it is used.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}
