import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamStorage

/// A renewal of this device's keys that is under way.
struct RenewalState: Codable, Sendable {
    /// The account's records as they become.
    var bundle: AccountBundle
    /// Whether the relay is known to have them, and this device uses its new keys.
    var isAcknowledged: Bool
}

extension ClientStore {
    /// The keys that were offered to the relay, and that it may have taken already.
    func offeredKeys(of device: DeviceID) throws(MessengerError) -> DeviceKeys? {
        guard let signing = try key(.offeredSigningKey, []), let agreement = try key(.offeredAgreementKey, []) else {
            return nil
        }
        return try keys(of: device, signing, agreement)
    }

    /// Keeps keys that are to be offered.
    func putOffered(_ keys: DeviceKeys) throws(MessengerError) {
        try put(keys.signing.secretKey, as: .offeredSigningKey, [])
        try put(keys.agreement.secretKey, as: .offeredAgreementKey, [])
    }

    /// Puts the offered keys in the place of the present ones, which are gone for good once `forgetDeleted` has run.
    func adoptOfferedKeys() throws(MessengerError) {
        guard let signing = try key(.offeredSigningKey, []), let agreement = try key(.offeredAgreementKey, []) else {
            throw .stateDamaged("the keys that were offered are missing")
        }
        try put(signing, as: .signingKey, [])
        try put(agreement, as: .agreementKey, [])
        try removeKey(.offeredSigningKey, [])
        try removeKey(.offeredAgreementKey, [])
    }

    /// The keys of this device from their 32 bytes each.
    func keys(
        of device: DeviceID,
        _ signing: SymmetricKey,
        _ agreement: SymmetricKey
    ) throws(MessengerError) -> DeviceKeys {
        do {
            return DeviceKeys(
                device: device,
                signing: try Curve25519.Signing.PrivateKey(rawRepresentation: signing),
                agreement: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: agreement)
            )
        } catch {
            throw .stateDamaged("this device's keys are not keys")
        }
    }
}
