import Foundation
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

@testable import MildamMessenger

/// Somebody without a key of the house, who makes records that look like an account's.
struct Forger: Sendable {
    let identity = Curve25519.Signing.PrivateKey()
    let keys = DeviceKeys()
    let relay: RelayID
    let account: AccountID
    let handle: Handle
    static let later: UInt64 = 4_000_000_000

    /// Takes somebody's name and number.
    init(imitating person: Person) async throws {
        let summary = try await person.account()
        relay = summary.relay
        account = summary.account
        handle = summary.handle
    }

    /// A device of its own, under the account.
    var device: DeviceRecord { keys.record(relay: relay, account: account, notAfter: Forger.later) }

    /// A whole set of records, sound but for the identity key.
    var bundle: AccountBundle {
        let record = AccountRecord(relay: relay, account: account, handle: handle, identityKey: identity.publicKey)
        let list = DeviceList(relay: relay, account: account, number: 1, records: [device])
        return AccountBundle(
            account: Signed(record, by: identity),
            list: Signed(list, by: identity),
            devices: [Signed(device, by: identity)]
        )
    }
}

extension Person {
    /// The account's own records, the key that signs them, and its device's keys.
    func secrets() async throws -> (bundle: AccountBundle, identity: Curve25519.Signing.PrivateKey, keys: DeviceKeys) {
        let (bundle, key, keys) = try await Messenger(profile: profile).work {
            (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard let key = try store.key(.identityKey, []) else { throw MessengerError.noAccount }
            return (account.bundle, key, try messenger.deviceKeys(account, store))
        }
        let raw = unsafe key.withUnsafeBytes { unsafe Data($0) }
        return (bundle, try Curve25519.Signing.PrivateKey(rawRepresentation: raw), keys)
    }
}
