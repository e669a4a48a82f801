import FoundationEssentials
import MildamCrypto
import MildamWire

/// A device of an account and its two keys, signed by the account's identity key.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     opaque account[16];
///     opaque device[16];
///     opaque signature_key[32];
///     opaque agreement_key[32];
///     uint64 not_after;
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

    /// Makes a record.
    public init(
        relay: RelayID,
        account: AccountID,
        device: DeviceID,
        signatureKey: Curve25519.Signing.PublicKey,
        agreementKey: Curve25519.KeyAgreement.PublicKey,
        notAfter: UInt64
    ) {
        self.relay = relay
        self.account = account
        self.device = device
        self.signatureKey = signatureKey
        self.agreementKey = agreementKey
        self.notAfter = notAfter
    }

    /// SHA-256 of the encoding, by which a device list names the record.
    public var digest: [UInt8] { Array(SHA256.hash(data: wireBytes)) }

    /// Whether the record has not run out at a second since 1970.
    public func isValid(at second: Int64) -> Bool { second <= Int64(clamping: notAfter) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        device.encode(into: &writer)
        writer.fixed(signatureKey.rawRepresentation)
        writer.fixed(agreementKey.rawRepresentation)
        writer.integer(notAfter)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        signatureKey = try reader.signingKey()
        agreementKey = try reader.agreementKey()
        notAfter = try reader.integer()
    }
}
