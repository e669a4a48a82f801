import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamWire

/// Two people and a room that are the same in every run, so that an input means the same in every run.
enum FixedKeys {
    static let relay: RelayID = id(9)
    static let identity: Curve25519.Signing.PrivateKey = signing(1)
    static let sender = DeviceKeys(device: id(2), signing: signing(2), agreement: agreement(2))
    static let recipient = DeviceKeys(device: id(3), signing: signing(3), agreement: agreement(3))
    static let recipientAccount: AccountID = id(5)
    static let account = AccountRecord(
        relay: relay,
        account: id(4),
        handle: must { () throws(WireError) in try Handle("alice") },
        identityKey: identity.publicKey
    )
    static let device = sender.record(relay: relay, account: account.account, notAfter: 4_000_000_000)
    static let list = DeviceList(relay: relay, account: account.account, number: 1, records: [device])
    static let bundle = AccountBundle(
        account: Signed(account, by: identity),
        list: Signed(list, by: identity),
        devices: [Signed(device, by: identity)]
    )
    /// The same account once its device has new keys, and what its old key signed for that.
    static let renewedBundle = must { () throws(RenewalFailed) in
        let keys = DeviceKeys(device: sender.device, signing: signing(8), agreement: agreement(8))
        let record = keys.record(relay: relay, account: account.account, notAfter: 4_000_000_000)
        guard let next = bundle.renewing(record, handedOverBy: sender.signing, identity: identity) else {
            throw RenewalFailed()
        }
        return next
    }
    static let handover = DeviceHandover(
        by: sender.device,
        from: list,
        to: DeviceList(relay: relay, account: account.account, number: 2, records: [device])
    )
    static let roomKey = RoomKey(room: id(6), generation: 1, key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
    static let context = MessageContext(
        room: id(6),
        generation: 1,
        senderAccount: account.account,
        senderDevice: sender.device
    )

    private struct RenewalFailed: Error {}

    static func id<Kind>(_ byte: UInt8) -> Identifier<Kind> {
        must { () throws(WireError) in try Identifier(bytes: [UInt8](repeating: byte, count: 16)) }
    }

    private static func signing(_ byte: UInt8) -> Curve25519.Signing.PrivateKey {
        must { () throws(CryptoKitError) in try .init(rawRepresentation: [UInt8](repeating: byte, count: 32)) }
    }

    private static func agreement(_ byte: UInt8) -> Curve25519.KeyAgreement.PrivateKey {
        must { () throws(CryptoKitError) in try .init(rawRepresentation: [UInt8](repeating: byte, count: 32)) }
    }
}
