import FoundationEssentials
import MildamCrypto
import MildamWire

/// The two private keys of this device.
public struct DeviceKeys: Sendable {
    /// The device.
    public let device: DeviceID
    /// Signs messages, envelopes and logins (Ed25519).
    public let signing: Curve25519.Signing.PrivateKey
    /// Opens envelopes (X25519).
    public let agreement: Curve25519.KeyAgreement.PrivateKey

    /// New keys for a new device.
    public init() {
        device = .random()
        signing = Curve25519.Signing.PrivateKey()
        agreement = Curve25519.KeyAgreement.PrivateKey()
    }

    /// Keys that were stored.
    public init(
        device: DeviceID,
        signing: Curve25519.Signing.PrivateKey,
        agreement: Curve25519.KeyAgreement.PrivateKey
    ) {
        self.device = device
        self.signing = signing
        self.agreement = agreement
    }

    /// The public record of this device, for the identity key to sign: of version 2, where it says what MLS rooms need.
    public func record(
        relay: RelayID,
        account: AccountID,
        notAfter: UInt64,
        succession: IdentitySuccession? = nil
    ) -> DeviceRecord {
        DeviceRecord(
            relay: relay,
            account: account,
            device: device,
            signatureKey: signing.publicKey,
            agreementKey: agreement.publicKey,
            notAfter: notAfter,
            succession: succession
        )
    }
}
