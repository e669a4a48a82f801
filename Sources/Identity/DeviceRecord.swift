import FoundationEssentials
import MildamCrypto
import MildamWire

/// A device of an account and its two keys, signed by the account's identity key.
///
/// ```
/// struct {
///     uint8 version;                // 1, or 2 with the last three fields
///     opaque relay[16];
///     opaque account[16];
///     opaque device[16];
///     opaque signature_key[32];
///     opaque agreement_key[32];
///     uint64 not_after;
///     uint64 since;                 // from version 2 on
///     opaque next_identity[32];     // from version 2 on
///     uint32 rotation;              // from version 2 on
/// } DeviceRecord;
/// ```
public struct DeviceRecord: Signable {
    /// "mildam/1 device record".
    public static let label = Label("device record")

    /// The relay it lives on.
    public let relay: RelayID
    /// The account it belongs to.
    public let account: AccountID
    /// The device.
    public let device: DeviceID
    /// The Ed25519 key its messages, envelopes and logins are signed with.
    public let signatureKey: Curve25519.Signing.PublicKey
    /// The X25519 key that room keys are wrapped for.
    public let agreementKey: Curve25519.KeyAgreement.PublicKey
    /// The last second, since 1970, at which the record is believed.
    public let notAfter: UInt64
    /// What MLS rooms need of it besides; `nil` in version 1.
    public let succession: IdentitySuccession?

    /// Makes a record: of version 2, where it says what MLS rooms need.
    public init(
        relay: RelayID,
        account: AccountID,
        device: DeviceID,
        signatureKey: Curve25519.Signing.PublicKey,
        agreementKey: Curve25519.KeyAgreement.PublicKey,
        notAfter: UInt64,
        succession: IdentitySuccession? = nil
    ) {
        self.relay = relay
        self.account = account
        self.device = device
        self.signatureKey = signatureKey
        self.agreementKey = agreementKey
        self.notAfter = notAfter
        self.succession = succession
    }

    /// SHA-256 of the encoding, by which a device list names the record.
    public var digest: [UInt8] { Array(SHA256.hash(data: wireBytes)) }

    /// Whether the record has not run out at a second since 1970.
    public func isValid(at second: Int64) -> Bool { second <= Int64(clamping: notAfter) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(succession == nil ? 1 : 2))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        device.encode(into: &writer)
        writer.fixed(signatureKey.rawRepresentation)
        writer.fixed(agreementKey.rawRepresentation)
        writer.integer(notAfter)
        succession?.encode(into: &writer)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        let version = try reader.version(in: 1...2)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        signatureKey = try reader.signingKey()
        agreementKey = try reader.agreementKey()
        notAfter = try reader.integer()
        succession = try version == 2 ? IdentitySuccession(from: &reader) : nil
    }
}
