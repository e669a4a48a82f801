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
    /// The names of the rooms that have a new key.
    public var rooms: [String]
    /// The rooms that have none.
    public var held: [HeldRoom]

    /// A room that did not get a new key.
    public struct HeldRoom: Codable, Sendable {
        /// Its name.
        public var room: String
        /// Why.
        public var reason: String
    }
}

extension Messenger {
    /// Gives this device new keys, and each of its rooms a key that the old ones do not open.
    ///
    /// The new keys are on the disk before the relay hears of them; whatever is interrupted, the same call finishes. The
    /// old ones are gone from the disk when it returns.
    public func renewKeys() async throws(MessengerError) -> KeyRenewal {
        try await alone { (messenger, store) throws(MessengerError) in
            var account = try messenger.account(store)
            let interrupted = try store.record(.renewal, [])
            account = try await messenger.finishSuccession(account, store)
            if interrupted?.isAcknowledged != true {
                // What others sealed for the old keys is opened while they are here.
                try await messenger.settle(account, store)
                let renewal: RenewalState
                if let interrupted {
                    renewal = interrupted
                } else {
                    renewal = try messenger.beginRenewal(account, store)
                }
                guard let offered = try store.offeredKeys(of: account.device) else {
                    throw .stateDamaged("the keys that were offered are missing")
                }
                try await messenger.offer(renewal.bundle, under: offered, account, store)
                account = try messenger.adopt(renewal.bundle, account, store)
            }
            try store.forgetDeleted()
            return try await messenger.renewRooms(account, isResumed: interrupted != nil, store)
        }
    }

    /// Takes in all there is, however much, and sends what waits, in the rooms that let it: what was sealed for the old keys can
    /// be opened as long as they are here.
    private func settle(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        try await takeMail(account, store)
        for room in try store.records(.room) where room.standing == .member {
            do throws(MessengerError) {
                try await catchUpWhole(room.room, account, store)
                _ = try await flush(room.room, store)
                try await catchUpWhole(room.room, account, store)
            } catch {
                guard error.isOfOneRoom else { throw error }
            }
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
        let renewal = RenewalState(bundle: bundle, isAcknowledged: false, rooms: [])
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
        let present = try deviceKeys(account, store)
        var renewed = account
        renewed.bundle = bundle
        let digest = try ownAccount(renewed).list.digest
        let known = try ownAccount(account).list.number
        try await authorized(account, store) { (relay, access) throws(MessengerError) in
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
            do throws(MessengerError) {
                try await relay.renewDevice(request, of: account.handle, access)
            } catch .refused(let error) where error.code == .staleList {
                let present = error.number ?? 0
                guard present >= known else {
                    throw .relayIsBehind(.deviceList(account.handle, last: present, seen: known))
                }
                // Only who has the account's keys can have made another.
                throw .identity(.deviceListForked(handle: account.handle, number: present))
            }
        }
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
            let rooms = try store.records(.room).filter { $0.standing == .member }.map(\.room)
            let renewal = RenewalState(bundle: bundle, isAcknowledged: true, rooms: rooms)
            try store.put(renewal, as: .renewal, [])
        }
        verified[account.handle] = nil
        return renewed
    }

    /// Gives each room that waits for it a new key. What a room itself stands against is told, and not tried again.
    private func renewRooms(
        _ account: AccountState,
        isResumed: Bool,
        _ store: ClientStore
    ) async throws(MessengerError) -> KeyRenewal {
        let own = try ownAccount(account)
        var answer = KeyRenewal(
            device: account.device,
            list: own.list.number,
            fingerprint: own.record.fingerprint.description,
            isResumed: isResumed,
            rooms: [],
            held: []
        )
        guard var renewal = try store.record(.renewal, []) else { return answer }
        for room in renewal.rooms {
            let name = try ledger(room, store).name
            takes = Messenger.takenAtOnce
            do throws(MessengerError) {
                _ = try await flush(room, store)
                try await change(.newKey, in: room, account, store)
                answer.rooms.append(name)
            } catch {
                guard error.isOfOneRoom else { throw error }
                answer.held.append(.init(room: name, reason: error.description))
            }
            renewal.rooms.removeAll { $0 == room }
            try store.put(renewal, as: .renewal, [])
        }
        try store.remove(.renewal, [])
        try store.forgetDeleted()
        return answer
    }
}

extension MessengerError {
    /// Whether one room stands against something, and the others need not: whoever is in a room, and the relay, can bring
    /// that about.
    fileprivate var isOfOneRoom: Bool {
        switch self {
        case .relayMembersDiffer, .relayKeysDiffer, .notAMember, .invitedAnew, .gone, .identity, .relayAnswer,
            .relayIsBehind, .unknownAccount, .content, .refused, .tooFast, .tooLong:
            true
        case .unsent(let error): error.isOfOneRoom
        default: false
        }
    }
}
