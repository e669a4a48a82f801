import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// What came of giving this device new keys.
public struct KeyRenewal: Codable, Sendable {
    /// The device, whose id stays.
    public var device: DeviceID
    /// The number of the account's device list, which now names the new keys.
    public var list: UInt64
    /// What others compare; it stays.
    public var fingerprint: String
    /// Whether a renewal that had been interrupted was finished, and no further one begun.
    public var isResumed: Bool
    /// The names of the rooms that have the new keys.
    public var rooms: [String]
    /// The rooms that have none.
    public var held: [HeldRoom]

    /// A room that did not get a new key.
    public struct HeldRoom: Codable, Sendable {
        /// Its name.
        public var room: String
        /// Why.
        public var reason: String

        /// A room, by its name, and why.
        public init(room: String, reason: String) {
            self.room = room
            self.reason = reason
        }
    }
}

extension Messenger {
    /// Gives this device new keys. Its rooms get them by the client that drives them.
    ///
    /// The new keys are on the disk before the relay hears of them; whatever is interrupted, the same call finishes. The
    /// old ones are gone from the disk when it returns.
    public func renewKeys() async throws(MessengerError) -> KeyRenewal {
        try await alone { (messenger, store) throws(MessengerError) in
            var account = try messenger.account(store)
            let interrupted = try store.record(.renewal, [])
            account = try await messenger.finishSuccession(account, store)
            if interrupted?.isAcknowledged != true {
                let renewal: RenewalState
                if let interrupted {
                    renewal = interrupted
                } else {
                    // Nothing is begun while the relay cannot be reached.
                    let present = account
                    try await messenger.authorized(present, store) { (relay, access) throws(MessengerError) in
                        _ = try await relay.account(present.handle, access)
                    }
                    renewal = try messenger.beginRenewal(account, store)
                }
                guard let offered = try store.offeredKeys(of: account.device) else {
                    throw .stateDamaged("the keys that were offered are missing")
                }
                try await messenger.offer(renewal.bundle, under: offered, account, store)
                account = try messenger.adopt(renewal.bundle, account, store)
            }
            try store.forgetDeleted()
            try store.remove(.renewal, [])
            let own = try messenger.ownAccount(account)
            return KeyRenewal(
                device: account.device,
                list: own.list.number,
                fingerprint: own.record.fingerprint.description,
                isResumed: interrupted != nil,
                rooms: [],
                held: []
            )
        }
    }

    /// Makes new keys and the records that name them.
    private func beginRenewal(_ account: AccountState, _ store: ClientStore) throws(MessengerError) -> RenewalState {
        guard let secret = try store.key(.identityKey, []),
            let identity = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        else { throw .stateDamaged("the account's identity key is missing") }
        let keys = DeviceKeys(
            device: account.device,
            signing: Curve25519.Signing.PrivateKey(),
            agreement: Curve25519.KeyAgreement.PrivateKey()
        )
        let record = keys.record(
            relay: account.relay,
            account: account.account,
            notAfter: UInt64(clock.seconds) + Messenger.deviceLifetime,
            succession: account.nextSuccession
        )
        let present = try deviceKeys(account, store).signing
        guard let bundle = account.bundle.renewing(record, handedOverBy: present, identity: identity) else {
            throw .stateDamaged("its device list has no next number")
        }
        let renewal = RenewalState(bundle: bundle, isAcknowledged: false)
        try store.transaction { () throws(MessengerError) in
            try store.putOffered(keys)
            try store.put(renewal, as: .renewal, [])
        }
        return renewal
    }

    /// Asks the relay to take the new list; it answers alike however often.
    ///
    /// - Parameter offered: the keys that the new list names of this device.
    func offer(
        _ bundle: AccountBundle,
        under offered: DeviceKeys,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        let due = try offering(bundle, under: offered, account, store)
        try await authorized(account, store) { (relay, access) throws(MessengerError) in
            try await relay.take(due, access)
        }
    }

    /// The new list as the relay is asked to take it.
    ///
    /// - Parameter offered: the keys that the new list names of this device.
    func offering(
        _ bundle: AccountBundle,
        under offered: DeviceKeys,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> OfferedList {
        let present = try deviceKeys(account, store)
        var renewed = account
        renewed.bundle = bundle
        let digest = try ownAccount(renewed).list.digest
        let time = clock.seconds
        let proof = DeviceProof(
            .renewal,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: digest
        ).signedBytes
        let request = RenewDeviceRequest(
            bundle: bundle,
            time: time,
            signature: offered.signing.signature(for: proof),
            earlierSignature: present.signing.signature(for: proof)
        )
        return OfferedList(request: request, handle: account.handle, known: try ownAccount(account).list.number)
    }

    /// The relay has the new list: from here on this device uses its new keys.
    private func adopt(
        _ bundle: AccountBundle,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> AccountState {
        var account = account
        account.bundle = bundle
        let renewed = account
        let pin = try ownAccount(renewed).pin.believed(.compared)
        try store.transaction { () throws(MessengerError) in
            try store.adoptOfferedKeys()
            try store.put(renewed, as: .account, [])
            try keep(pin, store)
            let renewal = RenewalState(bundle: bundle, isAcknowledged: true)
            try store.put(renewal, as: .renewal, [])
        }
        return renewed
    }
}
