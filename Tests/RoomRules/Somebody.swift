import MildamCrypto
import MildamIdentity
import MildamWire

@testable import MildamRoomRules

/// An account with devices, the same in every run.
struct Somebody: Hashable {
    static let relay: RelayID = identifier([9])

    let number: UInt8
    let rotation: UInt32

    init(_ number: UInt8, rotation: UInt32 = 0) {
        self.number = number
        self.rotation = rotation
    }

    var account: AccountID { Somebody.identifier([1, number]) }
    var identity: Curve25519.Signing.PrivateKey { key(of: rotation) }
    var roomIdentity: RoomIdentity { RoomIdentity(key: identity.publicKey, rotation: rotation) }
    var seat: Seat { Seat(account: account, identity: roomIdentity) }
    /// The same account with its next identity key.
    var successor: Somebody { Somebody(number, rotation: rotation + 1) }

    private func key(of rotation: UInt32) -> Curve25519.Signing.PrivateKey {
        Somebody.signing([2, number, UInt8(rotation)])
    }

    func signing(_ device: UInt8) -> Curve25519.Signing.PrivateKey { Somebody.signing([3, number, device]) }

    /// - Parameter version: 1 for a record that says nothing of what rooms need.
    func record(_ device: UInt8 = 1, since: UInt64 = 1, version: Int = 2) -> DeviceRecord {
        let succession = IdentitySuccession(
            since: since,
            nextIdentity: IdentitySuccession.commitment(to: key(of: rotation + 1).publicKey),
            rotation: rotation
        )
        return DeviceRecord(
            relay: Somebody.relay,
            account: account,
            device: Somebody.identifier([4, number, device]),
            signatureKey: signing(device).publicKey,
            agreementKey: Somebody.agreement.publicKey,
            notAfter: 2_000_000_000,
            succession: version == 2 ? succession : nil
        )
    }

    func leaf(_ device: UInt8 = 1, since: UInt64 = 1) -> RoomLeaf {
        guard let leaf = RoomLeaf(record(device, since: since), identity.publicKey) else {
            preconditionFailure("a sample is wrong: no leaf")
        }
        return leaf
    }

    func credential(_ device: UInt8 = 1) -> DeviceCredential {
        DeviceCredential(identityKey: identity.publicKey, record: Signed(record(device), by: identity))
    }

    /// The account's device list of this number.
    func list(_ number: UInt64, _ devices: [UInt8]) -> Evidence {
        let list = DeviceList(
            relay: Somebody.relay,
            account: account,
            number: number,
            records: devices.map { record($0) }
        )
        return .deviceList(Signed(list, by: identity))
    }

    func accountRecord() -> Signed<AccountRecord> {
        let record = AccountRecord(
            relay: Somebody.relay,
            account: account,
            handle: Somebody.must { () throws(WireError) in try Handle("somebody") },
            identityKey: identity.publicKey,
            nextIdentity: IdentitySuccession.commitment(to: key(of: rotation + 1).publicKey)
        )
        return Signed(record, by: identity)
    }

    /// That the account leaves, said by a device.
    func leaving(_ room: RoomExtension, device: UInt8 = 1, shown: Bool = false) -> Evidence {
        let leaving = Leaving(room: room.room, generation: room.generation, account: account)
        return .leaving(Signed(leaving, by: signing(device)), by: shown ? credential(device) : nil)
    }

    func closing() -> Evidence {
        .closing(Signed(AccountClosing(relay: Somebody.relay, account: account), by: identity))
    }

    static let agreement = must { () throws(CryptoKitError) in
        try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
    }

    static func identifier<Kind>(_ bytes: [UInt8]) -> Identifier<Kind> {
        must { () throws(WireError) in
            try Identifier(bytes: bytes + [UInt8](repeating: 0, count: 16 - bytes.count))
        }
    }

    private static func signing(_ seed: [UInt8]) -> Curve25519.Signing.PrivateKey {
        must { () throws(CryptoKitError) in
            try Curve25519.Signing.PrivateKey(
                rawRepresentation: seed + [UInt8](repeating: 0, count: 32 - seed.count)
            )
        }
    }

    /// For values that are known to be good.
    static func must<Value, Failure: Error>(_ make: () throws(Failure) -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("a sample is wrong: \(error)") }
    }
}
