import MildamCrypto
import MildamIdentity
import MildamWire

/// An account's identity key, and how many it had before: `struct { opaque identity_key[32]; uint32 rotation; }` (H3).
public struct RoomIdentity: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The Ed25519 key.
    public let key: Curve25519.Signing.PublicKey
    /// How many identity keys the account had before this one.
    public let rotation: UInt32

    /// An identity.
    public init(key: Curve25519.Signing.PublicKey, rotation: UInt32) {
        self.key = key
        self.rotation = rotation
    }

    /// Reads an identity.
    public init(from reader: inout WireReader) throws(WireError) {
        key = try reader.signingKey()
        rotation = try reader.integer()
    }

    /// Appends the identity.
    public func encode(into writer: inout WireWriter) {
        writer.fixed(key.rawRepresentation)
        writer.integer(rotation)
    }
}
