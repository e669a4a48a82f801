import Foundation
import MildamCrypto
import MildamIdentity

@testable import MildamMessenger

extension Person {
    /// Everything that the profile's database holds, its log included.
    package func disk() -> Data {
        ["messenger.db", "messenger.db-wal"].reduce(into: Data()) {
            $0 += FileManager.default.contents(atPath: folder + "/" + $1) ?? Data()
        }
    }

    /// This device's private keys as they lie in the database.
    package func sealedKeys() async throws -> [Data] {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            var sealed: [Data] = []
            for kind in [SecretKind.signingKey, .agreementKey] {
                guard let row = try store.sealedRecord(kind.rawValue, store.blinded(kind.rawValue, [])) else {
                    throw .cryptography
                }
                sealed.append(row)
            }
            return sealed
        }
    }

    /// Keys that wait to be taken by the relay.
    package func offered() async throws -> DeviceKeys? {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try store.offeredKeys(of: try messenger.account(store).device)
        }
    }

    /// Puts a pin into the profile in the place of what it has of that handle.
    package func remember(_ pin: AccountPin) async throws {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try messenger.keep(pin, store)
        }
    }

    /// The account's own records, the key that signs them, and its device's keys.
    package func secrets() async throws -> (
        bundle: AccountBundle, identity: Curve25519.Signing.PrivateKey, keys: DeviceKeys
    ) {
        let (bundle, key, keys) = try await Messenger(profile: profile).work {
            (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard let key = try store.key(.identityKey, []) else { throw MessengerError.cryptography }
            return (account.bundle, key, try messenger.deviceKeys(account, store))
        }
        let raw = unsafe key.withUnsafeBytes { unsafe Data($0) }
        return (bundle, try Curve25519.Signing.PrivateKey(rawRepresentation: raw), keys)
    }
}
