import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire

/// Who a leaf is: the identity of its BasicCredential (H3). 262 bytes.
///
///     struct {
///         uint8 version = 1;
///         opaque identity_key[32];
///         Signed<DeviceRecord> record;     // version 2
///     } DeviceCredential;
public struct DeviceCredential: Sendable, WireEncodable, WireDecodable {
    /// The account's identity key, which has to have signed the record.
    public let identityKey: Curve25519.Signing.PublicKey
    /// The device's record.
    public let record: Signed<DeviceRecord>

    /// A credential.
    public init(identityKey: Curve25519.Signing.PublicKey, record: Signed<DeviceRecord>) {
        self.identityKey = identityKey
        self.record = record
    }

    /// The one that a leaf has; `nil` for any other credential.
    public init?(_ credential: Credential) {
        guard case .basic(let identity) = credential, let own = try? DeviceCredential(wireBytes: identity) else {
            return nil
        }
        self = own
    }

    /// As a leaf has it.
    public var mls: Credential { .basic(identity: wireBytes) }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        identityKey = try reader.signingKey()
        record = try Signed(from: &reader)
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.fixed(identityKey.rawRepresentation)
        record.encode(into: &writer)
    }
}
