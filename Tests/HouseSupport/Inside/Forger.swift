import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// Somebody without a key of the house, who makes records that look like an account's.
package struct Forger: Sendable {
    package let identity = Curve25519.Signing.PrivateKey()
    package let keys = DeviceKeys()
    package let relay: RelayID
    package let account: AccountID
    package let handle: Handle
    package static let later: UInt64 = 4_000_000_000

    /// Takes somebody's name and number.
    ///
    /// - Parameter other: a number of its own in the place of theirs.
    package init(imitating person: Person, as other: AccountID? = nil) async throws {
        let summary = try await person.account()
        relay = summary.relay
        account = other ?? summary.account
        handle = summary.handle
    }

    /// A device of its own, under the account.
    package var device: DeviceRecord { keys.record(relay: relay, account: account, notAfter: Forger.later) }

    /// A whole set of records, sound but for the identity key.
    package var bundle: AccountBundle {
        let record = AccountRecord(relay: relay, account: account, handle: handle, identityKey: identity.publicKey)
        let list = DeviceList(relay: relay, account: account, number: 1, records: [device])
        return AccountBundle(
            account: Signed(record, by: identity),
            list: Signed(list, by: identity),
            devices: [Signed(device, by: identity)]
        )
    }
}
