import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamWire

/// Those who play: accounts with one device each, the same in every run.
package enum Cast {
    /// The relay that all live on.
    package static let relay: RelayID = identifier([9])
    /// The room of those who play in one only.
    package static let room: RoomID = identifier([7])

    /// A room of several; that numbered 0 is ``room``.
    package static func room(numbered number: UInt8) -> RoomID { identifier([7, number]) }

    /// A person's account.
    package static func account(_ person: UInt8) -> AccountID { identifier([1, person]) }

    /// Whose account it is.
    package static func person(_ account: AccountID) -> UInt8 { account.bytes[1] }

    /// What an account is called.
    package static func handle(_ account: AccountID) -> Handle {
        do {
            return try Handle("person-\(person(account))")
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }

    /// What a person's account signs with.
    package static func identity(_ person: UInt8) -> Curve25519.Signing.PrivateKey { signing([2, person]) }

    /// A person's identity, as rooms know it.
    package static func roomIdentity(_ person: UInt8) -> RoomIdentity {
        RoomIdentity(key: identity(person).publicKey, rotation: 0, nextIdentity: nextIdentity(person))
    }

    /// The commitment to the identity that would follow.
    package static func nextIdentity(_ person: UInt8) -> [UInt8] {
        IdentitySuccession.commitment(to: signing([5, person]).publicKey)
    }

    /// A person's device.
    ///
    /// - Parameter keys: which keys the device has; each set of them has a list of its own.
    package static func device(_ person: UInt8, keys: UInt8 = 0) -> OwnDevice {
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

    /// The end of a person's account, as they sign it.
    package static func signedClosing(_ person: UInt8) -> Signed<AccountClosing> {
        Signed(AccountClosing(relay: relay, account: account(person)), by: identity(person))
    }

    /// The end of a person's account, as others know it.
    package static func closing(_ person: UInt8) -> KnownClosing {
        do {
            return try KnownClosing(
                signedClosing(person),
                of: account(person),
                on: relay,
                asAnyOf: [roomIdentity(person)]
            )
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }

    /// A list of an account's that names no device.
    package static func emptyList(_ person: UInt8, number: UInt64) -> KnownDeviceList {
        let list = DeviceList(relay: relay, account: account(person), number: number, records: [])
        return KnownDeviceList(Signed(list, by: identity(person)), rotation: 0)
    }

    /// The name of a message of a short play.
    package static func message(_ number: UInt8) -> MessageID { identifier([6, number]) }

    /// The name of a wish of a simulation.
    package static func wish(_ number: UInt32) -> MessageID {
        identifier([8] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    /// A file of a simulation.
    package static func blob(_ number: UInt32) -> BlobID {
        identifier([10] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    /// An identifier that begins with these bytes, and is zero from there on.
    package static func identifier<Kind>(_ bytes: [UInt8]) -> Identifier<Kind> {
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
