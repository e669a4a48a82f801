import MildamCrypto
import MildamWire

/// What a device record of version 2 says for MLS rooms: from which list on it counts, and which identity key comes next.
///
/// ```
/// struct {
///     uint64 since;               // the number of the first list that names the record
///     opaque next_identity[32];   // a commitment to the next identity key
///     uint32 rotation;            // how many identity keys the account had before
/// } IdentitySuccession;
/// ```
public struct IdentitySuccession: Hashable, Sendable {
    /// The size of a commitment, in bytes.
    public static let commitmentSize = 32
    private static let label = Label("next identity")

    /// The number of the first device list that names the record.
    public let since: UInt64
    /// What the next identity key is known by, 32 bytes.
    public let nextIdentity: [UInt8]
    /// How many identity keys the account had before the present one.
    public let rotation: UInt32

    /// Says it.
    ///
    /// - Precondition: a commitment has 32 bytes.
    public init(since: UInt64, nextIdentity: [UInt8], rotation: UInt32 = 0) {
        precondition(nextIdentity.count == IdentitySuccession.commitmentSize, "a commitment")
        self.since = since
        self.nextIdentity = nextIdentity
        self.rotation = rotation
    }

    /// What a key is known by before it is used: SHA-256 of the label "mildam/1 next identity" and the key, 32 bytes.
    public static func commitment(to key: Curve25519.Signing.PublicKey) -> [UInt8] {
        var writer = WireWriter()
        label.encode(into: &writer)
        writer.fixed(key.rawRepresentation)
        return Array(SHA256.hash(data: writer.bytes))
    }
}

extension IdentitySuccession: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(since)
        writer.fixed(nextIdentity)
        writer.integer(rotation)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        since = try reader.integer()
        nextIdentity = try reader.fixed(IdentitySuccession.commitmentSize)
        rotation = try reader.integer()
    }
}
