import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamWire

/// Those who play: accounts with one device each, the same in every run.
enum Cast {
    static let relay: RelayID = identifier([9])
    static let room: RoomID = identifier([7])

    static func account(_ person: UInt8) -> AccountID { identifier([1, person]) }

    static func identity(_ person: UInt8) -> Curve25519.Signing.PrivateKey { signing([2, person]) }

    static func roomIdentity(_ person: UInt8) -> RoomIdentity {
        RoomIdentity(key: identity(person).publicKey, rotation: 0, nextIdentity: nextIdentity(person))
    }

    static func nextIdentity(_ person: UInt8) -> [UInt8] {
        IdentitySuccession.commitment(to: signing([5, person]).publicKey)
    }

    /// - Parameter keys: which keys the device has; each set of them has a list of its own.
    static func device(_ person: UInt8, keys: UInt8 = 0) -> OwnDevice {
        let key = signing([3, person, keys])
        let record = DeviceRecord(
            relay: relay,
            account: account(person),
            device: identifier([4, person]),
            signatureKey: key.publicKey,
            agreementKey: agreement.publicKey,
            notAfter: 2_000_000_000,
            succession: IdentitySuccession(
                since: UInt64(keys) + 1,
                nextIdentity: nextIdentity(person)
            )
        )
        let list = DeviceList(relay: relay, account: account(person), number: UInt64(keys) + 1, records: [record])
        return OwnDevice(
            credential: DeviceCredential(
                identityKey: identity(person).publicKey,
                record: Signed(record, by: identity(person))
            ),
            signing: key,
            list: Signed(list, by: identity(person))
        )
    }

    /// A list of an account's that names no device.
    static func emptyList(_ person: UInt8, number: UInt64) -> KnownDeviceList {
        let list = DeviceList(relay: relay, account: account(person), number: number, records: [])
        return KnownDeviceList(Signed(list, by: identity(person)), rotation: 0)
    }

    static func message(_ number: UInt8) -> MessageID { identifier([6, number]) }

    static func identifier<Kind>(_ bytes: [UInt8]) -> Identifier<Kind> {
        do {
            return try Identifier(bytes: bytes + [UInt8](repeating: 0, count: 16 - bytes.count))
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }

    private static let agreement: Curve25519.KeyAgreement.PrivateKey = {
        do {
            return try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }()

    private static func signing(_ seed: [UInt8]) -> Curve25519.Signing.PrivateKey {
        do {
            return try Curve25519.Signing.PrivateKey(
                rawRepresentation: seed + [UInt8](repeating: 0, count: 32 - seed.count)
            )
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }
}
