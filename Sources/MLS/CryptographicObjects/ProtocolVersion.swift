import MildamWire

/// A version of the protocol (RFC 9420, section 6). Any number can be read.
public struct ProtocolVersion: WireNumber {
    /// The number on the wire.
    public let rawValue: UInt16

    /// The version of this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// MLS 1.0, the one there is.
    public static let mls10 = ProtocolVersion(rawValue: 1)
}
