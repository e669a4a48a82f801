import MildamCrypto
import MildamIdentity
import MildamWire

/// Who an account is in a room: its identity key, how many it had before, and what the next one is known by (H3, H20). 68 bytes.
///
///     struct {
///         opaque identity_key[32];
///         uint32 rotation;
///         opaque next_identity[32];
///     } RoomIdentity;
///
/// The commitment is a part of it. A device record alone could say another one, and whoever has a stolen identity key signs
/// device records.
public struct RoomIdentity: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The Ed25519 key.
    public let key: Curve25519.Signing.PublicKey
    /// How many identity keys the account had before this one.
    public let rotation: UInt32
    /// What the next identity key is known by, 32 bytes (``IdentitySuccession/commitment(to:)``).
    public let nextIdentity: [UInt8]

    /// An identity.
    ///
    /// - Precondition: the commitment has 32 bytes.
    public init(key: Curve25519.Signing.PublicKey, rotation: UInt32, nextIdentity: [UInt8]) {
        precondition(nextIdentity.count == IdentitySuccession.commitmentSize, "a commitment")
        self.key = key
        self.rotation = rotation
        self.nextIdentity = nextIdentity
    }

    /// The identity that an account record proves to follow this one: of the key that this one commits to, and signed by
    /// that; `nil` for any other record.
    func successor(by signed: Signed<AccountRecord>) -> RoomIdentity? {
        let key = signed.claimed.identityKey
        guard rotation < .max, IdentitySuccession.commitment(to: key) == nextIdentity,
            let next = (try? signed.verified(under: key))?.nextIdentity
        else { return nil }
        return RoomIdentity(key: key, rotation: rotation + 1, nextIdentity: next)
    }

    /// Reads an identity.
    public init(from reader: inout WireReader) throws(WireError) {
        key = try reader.signingKey()
        rotation = try reader.integer()
        nextIdentity = try reader.fixed(IdentitySuccession.commitmentSize)
    }

    /// Appends the identity.
    public func encode(into writer: inout WireWriter) {
        writer.fixed(key.rawRepresentation)
        writer.integer(rotation)
        writer.fixed(nextIdentity)
    }
}
