import Foundation
import MildamCrypto
import MildamWire

@testable import MildamIdentity

/// One account with fixed keys and ids, so that its encodings can be pinned; parts of it can be made to lie.
struct Sample {
    static let identity = signingKey(1)
    static let signing = signingKey(2)
    static let agreement = agreementKey(3)
    static let handle = handle("alice")
    static let relay: RelayID = identifier(0x11)
    static let account: AccountID = identifier(0x22)
    static let device: DeviceID = identifier(0x33)
    static let notAfter: UInt64 = 2_000_000_000

    static let accountRecord = AccountRecord(
        relay: relay,
        account: account,
        handle: handle,
        identityKey: identity.publicKey
    )
    static let deviceRecord = DeviceRecord(
        relay: relay,
        account: account,
        device: device,
        signatureKey: signing.publicKey,
        agreementKey: agreement.publicKey,
        notAfter: notAfter
    )
    static let list = DeviceList(relay: relay, account: account, number: 1, records: [deviceRecord])

    /// Both records as MLS rooms want them.
    static let nextIdentity = [UInt8](repeating: 0x44, count: 32)
    static let secondAccountRecord = AccountRecord(
        relay: relay,
        account: account,
        handle: handle,
        identityKey: identity.publicKey,
        nextIdentity: nextIdentity
    )
    static let secondDeviceRecord = DeviceRecord(
        relay: relay,
        account: account,
        device: device,
        signatureKey: signing.publicKey,
        agreementKey: agreement.publicKey,
        notAfter: notAfter,
        succession: IdentitySuccession(since: 5, nextIdentity: nextIdentity, rotation: 1)
    )

    /// The account as an honest relay shows it.
    static let bundle = AccountBundle(
        account: Signed(accountRecord, by: identity),
        list: Signed(list, by: identity),
        devices: [Signed(deviceRecord, by: identity)]
    )

    /// The account once its device has new keys.
    static let renewedSigning = signingKey(4)
    static let renewedRecord = DeviceRecord(
        relay: relay,
        account: account,
        device: device,
        signatureKey: renewedSigning.publicKey,
        agreementKey: agreementKey(5).publicKey,
        notAfter: notAfter
    )
    static let renewed = renewal(of: bundle, renewedRecord, by: signing)
    static let handover = DeviceHandover(
        by: device,
        from: list,
        to: DeviceList(relay: relay, account: account, number: 2, records: [renewedRecord])
    )

    /// What a bundle becomes when a device that has `key` gets new keys.
    static func renewal(
        of bundle: AccountBundle,
        _ record: DeviceRecord,
        by key: Curve25519.Signing.PrivateKey
    ) -> AccountBundle {
        guard let next = bundle.renewing(record, handedOverBy: key, identity: identity) else {
            preconditionFailure("a sample is wrong: no next list")
        }
        return next
    }

    /// A list signed by the account's own key.
    static func list(_ number: UInt64, _ records: [DeviceRecord] = [deviceRecord]) -> Signed<DeviceList> {
        Signed(DeviceList(relay: relay, account: account, number: number, records: records), by: identity)
    }

    static func identifier<Kind>(_ byte: UInt8) -> Identifier<Kind> {
        must { try Identifier(bytes: [UInt8](repeating: byte, count: 16)) }
    }

    static func handle(_ text: String) -> Handle { must { try Handle(text) } }

    static func signingKey(_ byte: UInt8) -> Curve25519.Signing.PrivateKey {
        must { try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: byte, count: 32)) }
    }

    static func agreementKey(_ byte: UInt8) -> Curve25519.KeyAgreement.PrivateKey {
        must { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: byte, count: 32)) }
    }

    /// For values that are known to be good.
    static func must<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("a sample is wrong: \(error)") }
    }
}
