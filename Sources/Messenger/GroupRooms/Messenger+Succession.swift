import MildamCrypto
import MildamIdentity
import MildamRelayAPI

extension RecordKind {
    /// The account's records as they become with their first next identity key, while the relay may not have them yet; one,
    /// under an empty name.
    static var succession: RecordKind<AccountBundle> { RecordKind<AccountBundle>(text: "succession") }
}

/// Records of version 2, which MLS rooms need: they commit to the account's next identity key (H20).
///
/// The next key is a random one, sealed in the profile like the identity key itself. It is to come from a recovery code, which the
/// device does not keep; until there is one, whoever has the profile open has both keys, and a rotation protects from nobody who
/// was in here. What is committed to now can be used once there is a code: by one rotation to a key that came from it.
extension Messenger {
    /// Finishes what makes the account's records ones of version 2, or begins it where they are of version 1. It is on the disk
    /// before the relay hears of it, and the same again however often.
    ///
    /// - Returns: whether they are other ones than before.
    /// - Throws: `wrongUse` where a renewal of this device's keys was interrupted, which comes first.
    func ensureSuccession() async throws(MessengerError) -> Bool {
        let due = try await alone { (messenger, store) throws(MessengerError) -> OfferedList? in
            let account = try messenger.account(store)
            if try store.record(.succession, []) == nil {
                guard account.succession == nil else { return nil }
                guard try store.record(.renewal, [])?.isAcknowledged ?? true else {
                    throw .wrongUse(
                        "giving this device new keys was interrupted: `mildam account renew-keys` finishes it"
                    )
                }
                try messenger.beginSuccession(account, store)
            }
            guard let bundle = try store.record(.succession, []) else { return nil }
            let keys = try messenger.deviceKeys(account, store)
            return try messenger.offering(bundle, under: keys, account, store)
        }
        guard let due else { return false }
        try await offer(due)
        try await alone { (messenger, store) throws(MessengerError) -> Void in
            _ = try messenger.adoptSuccession(try messenger.account(store), store)
        }
        return true
    }

    /// Asks the relay to take the records, while the profile is nobody's.
    private func offer(_ due: OfferedList) async throws(MessengerError) {
        let first = try await passage()
        do throws(MessengerError) {
            return try await first.relay.take(due, first.access)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .unauthorized else { throw error }
        }
        let second = try await passage(renewing: true)
        try await second.relay.take(due, second.access)
    }

    /// Finishes what was begun; the account is as it was where nothing was.
    func finishSuccession(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) -> AccountState {
        guard let bundle = try store.record(.succession, []) else { return account }
        try await offer(bundle, under: try deviceKeys(account, store), account, store)
        return try adoptSuccession(account, store)
    }

    /// The relay has the records.
    private func adoptSuccession(
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> AccountState {
        guard let bundle = try store.record(.succession, []) else { return account }
        var renewed = account
        renewed.bundle = bundle
        let adopted = renewed
        let pin = try ownAccount(adopted).pin.believed(.compared)
        try store.transaction { () throws(MessengerError) in
            try store.put(adopted, as: .account, [])
            try keep(pin, store)
            try store.remove(.succession, [])
        }
        return adopted
    }

    /// Makes the records, and the next identity key where there is none.
    private func beginSuccession(_ account: AccountState, _ store: ClientStore) throws(MessengerError) {
        guard let secret = try store.key(.identityKey, []),
            let identity = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        else { throw .stateDamaged("the account's identity key is missing") }
        let keys = try deviceKeys(account, store)
        let next = try nextIdentity(store)
        let commitment = IdentitySuccession.commitment(to: next.publicKey)
        let present = account.bundle
        let record = keys.record(
            relay: account.relay,
            account: account.account,
            notAfter: UInt64(clock.seconds) + Messenger.deviceLifetime,
            succession: IdentitySuccession(since: present.list.claimed.number &+ 1, nextIdentity: commitment)
        )
        let named = AccountRecord(
            relay: account.relay,
            account: account.account,
            handle: account.handle,
            identityKey: identity.publicKey,
            nextIdentity: commitment
        )
        let bundle = present.renewing(
            record,
            handedOverBy: keys.signing,
            identity: identity,
            account: Signed(named, by: identity)
        )
        guard let bundle else { throw .stateDamaged("its device list has no next number") }
        try store.transaction { () throws(MessengerError) in
            try store.put(next.secretKey, as: .nextIdentityKey, [])
            try store.put(bundle, as: .succession, [])
        }
    }

    /// The key that is to be the account's next identity key: the one that is kept, or a new one.
    private func nextIdentity(_ store: ClientStore) throws(MessengerError) -> Curve25519.Signing.PrivateKey {
        guard let kept = try store.key(.nextIdentityKey, []) else { return Curve25519.Signing.PrivateKey() }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: kept) else {
            throw .stateDamaged("the account's next identity key is no key")
        }
        return key
    }
}

extension AccountState {
    /// This device's record, as the account's identity key signed it.
    var deviceRecord: Signed<DeviceRecord>? { bundle.devices.first { $0.claimed.device == device } }

    /// What the account's records say for MLS rooms; `nil` where one of them is of version 1.
    var succession: IdentitySuccession? {
        guard bundle.account.claimed.nextIdentity != nil else { return nil }
        return deviceRecord?.claimed.succession
    }

    /// The same, as the record on the next device list says it.
    var nextSuccession: IdentitySuccession? {
        succession.map { present in
            IdentitySuccession(
                since: bundle.list.claimed.number &+ 1,
                nextIdentity: present.nextIdentity,
                rotation: present.rotation
            )
        }
    }
}
