import MildamWire

/// The hash by which a key package is named: `HashReference KeyPackageRef` (RFC 9420, section 5.2).
public struct KeyPackageRef: Hashable, Sendable, WireEncodable, WireDecodable {
    /// As long as the suite's hash.
    public let bytes: [UInt8]

    /// A name of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}

/// The hash by which a proposal is named: `HashReference ProposalRef` (RFC 9420, section 5.2).
public struct ProposalRef: Hashable, Sendable, WireEncodable, WireDecodable {
    /// As long as the suite's hash.
    public let bytes: [UInt8]

    /// A name of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) { bytes = try reader.vector() }

    /// Appends it.
    public func encode(into writer: inout WireWriter) { writer.vector(bytes) }
}
