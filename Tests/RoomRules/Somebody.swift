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
    var roomIdentity: RoomIdentity {
        RoomIdentity(key: identity.publicKey, rotation: rotation, nextIdentity: nextIdentity)
    }
    var seat: Seat { Seat(account: account, identity: roomIdentity) }
    /// What the next identity key is known by.
    var nextIdentity: [UInt8] { IdentitySuccession.commitment(to: key(of: rotation + 1).publicKey) }
    /// The same account with its next identity key.
    var successor: Somebody { Somebody(number, rotation: rotation + 1) }

    private func key(of rotation: UInt32) -> Curve25519.Signing.PrivateKey {
        Somebody.signing([2, number, UInt8(rotation)])
    }

    func signing(_ device: UInt8) -> Curve25519.Signing.PrivateKey { Somebody.signing([3, number, device]) }

    /// - Parameters:
    ///   - version: 1 for a record that says nothing of what rooms need.
    ///   - key: of another number than the device.
    ///   - nextIdentity: another commitment than the account's.
    func record(
        _ device: UInt8 = 1,
        since: UInt64 = 1,
        version: Int = 2,
        key: UInt8? = nil,
        nextIdentity: [UInt8]? = nil
    ) -> DeviceRecord {
        let succession = IdentitySuccession(
            since: since,
            nextIdentity: nextIdentity ?? self.nextIdentity,
            rotation: rotation
        )
        return DeviceRecord(
            relay: Somebody.relay,
            account: account,
            device: Somebody.identifier([4, number, device]),
            signatureKey: signing(key ?? device).publicKey,
            agreementKey: Somebody.agreement.publicKey,
            notAfter: 2_000_000_000,
            succession: version == 2 ? succession : nil
        )
    }

    func leaf(_ device: UInt8 = 1, since: UInt64 = 1, nextIdentity: [UInt8]? = nil) -> RoomLeaf {
        let record = record(device, since: since, nextIdentity: nextIdentity)
        guard let leaf = RoomLeaf(record, identity.publicKey) else {
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
            nextIdentity: nextIdentity
        )
        return Signed(record, by: identity)
    }

    /// That the account leaves, said by a device.
    func leaving(_ room: RoomExtension, device: UInt8 = 1, epoch: UInt64 = 7, shown: Bool = false) -> Evidence {
        let leaving = Leaving(room: room.room, generation: room.generation, epoch: epoch, account: account)
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
