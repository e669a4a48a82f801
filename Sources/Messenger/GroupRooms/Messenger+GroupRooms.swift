import MildamClientCore
import MildamIdentity
import MildamRoomRules

extension RecordKind {
    /// How far the Welcomes in the mailbox were taken over; one, under an empty name.
    static var welcomes: RecordKind<UInt64> { RecordKind<UInt64>(text: "welcomes") }
    /// What accounts are called that this profile meets in rooms alone, by account.
    static var heardHandle: RecordKind<HeardHandle> { RecordKind<HeardHandle>(text: "heard handle") }
    /// Where the clock that does not go back was seen last, in milliseconds; one, under an empty name.
    static var steady: RecordKind<UInt64> { RecordKind<UInt64>(text: "steady") }
}

/// What an account is called, by a record that the key which it has in a room has signed.
struct HeardHandle: Codable, Equatable, Sendable {
    /// The account.
    let account: AccountID
    /// What it is called.
    let handle: Handle
}

/// What a profile has for its rooms.
struct RoomProfile: Sendable {
    /// Who the client is.
    let device: OwnDevice
    /// The number of the last Welcome that was taken over from the mailbox.
    let welcomes: UInt64
    /// Where the clock that does not go back was seen last.
    let steady: UInt64
}

/// Another account, as its records say that it is: they were verified, under the pin where there is one.
struct SignedAccount: Sendable {
    /// Who it is.
    let record: AccountRecord
    /// How many identity keys it had before.
    let rotation: UInt32
    /// The newest list of its devices.
    let list: Signed<DeviceList>

    init(_ verified: VerifiedAccount, _ list: Signed<DeviceList>) {
        record = verified.record
        rotation = verified.devices.values.compactMap(\.succession?.rotation).max() ?? 0
        self.list = list
    }

    /// Who it is in a room; `nil` where its records do not say what rooms need.
    var identity: RoomIdentity? {
        record.nextIdentity.map { RoomIdentity(key: record.identityKey, rotation: rotation, nextIdentity: $0) }
    }
}

/// What rooms take from the profile: each call opens it alone, and lets it go.
extension Messenger {
    /// Who the client is, and how far it was.
    func roomProfile() async throws(MessengerError) -> RoomProfile {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard let record = account.deviceRecord else { throw .stateDamaged("this device's record is missing") }
            let device = OwnDevice(
                credential: DeviceCredential(
                    identityKey: account.bundle.account.claimed.identityKey,
                    record: record
                ),
                signing: try messenger.deviceKeys(account, store).signing,
                list: account.bundle.list
            )
            return RoomProfile(
                device: device,
                welcomes: try store.record(.welcomes, []) ?? 0,
                steady: try store.record(.steady, []) ?? 0
            )
        }
    }

    /// What requests are made with.
    ///
    /// - Parameter renewing: whether the access token at hand is not good any more.
    func pass(renewing: Bool) async throws(MessengerError) -> RelayPass {
        let found = try await passage(renewing: renewing)
        return RelayPass(
            client: found.relay,
            access: found.access,
            until: found.session.expires - min(found.session.lifetime / 10, 30)
        )
    }

    /// An account's records as the relay has them, held against the pin, which is made or moves forward.
    func signedAccount(_ bundle: AccountBundle, of handle: Handle) async throws(MessengerError) -> SignedAccount {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let found = try messenger.believe(bundle, of: handle, account, store)
            return SignedAccount(found, bundle.list)
        }
    }

    /// An account's records as the relay has them, held against who it is in rooms, and against the pin, which moves forward where
    /// there is one.
    func checked(
        _ bundle: AccountBundle,
        of account: AccountID,
        asAnyOf identities: Set<RoomIdentity>
    ) async throws(MessengerError) -> SignedAccount {
        try await alone { (messenger, store) throws(MessengerError) in
            let relay = try messenger.account(store).relay
            let handle = bundle.account.claimed.handle
            let pin = try messenger.pin(handle, store)
            let verified: VerifiedAccount
            do throws(IdentityError) {
                verified = try bundle.verified(for: handle, on: relay, pin: pin, at: messenger.clock.seconds)
            } catch {
                throw .identity(error)
            }
            guard verified.record.account == account else { throw .identity(.notWhatWasAsked("account")) }
            let others = identities.map(\.key).filter { $0 != verified.record.identityKey }
            if let other = others.first, others.count == identities.count {
                throw .identity(
                    .identityKeyChanged(
                        handle: handle,
                        pinned: Fingerprint(account: account, key: other),
                        shown: verified.record.fingerprint
                    )
                )
            }
            if let pin, verified.pin.following(pin) != pin { try messenger.keep(verified.pin.following(pin), store) }
            let heard = HeardHandle(account: account, handle: handle)
            if try store.record(.heardHandle, account.bytes) != heard {
                try store.put(heard, as: .heardHandle, account.bytes)
            }
            return SignedAccount(verified, bundle.list)
        }
    }

    /// The handles under which this profile has met accounts, or, of those that it has not met, what they are called by records
    /// that the keys which they have in rooms have signed.
    func knownHandles() async throws(MessengerError) -> [AccountID: Handle] {
        try await alone { (messenger, store) throws(MessengerError) in
            var handles: [AccountID: Handle] = [:]
            for heard in try store.records(.heardHandle) { handles[heard.account] = heard.handle }
            for record in try store.records(.pin) {
                let pin = try record.pin()
                handles[pin.account] = pin.handle
            }
            return handles
        }
    }

    /// Whether this profile has met an account of this handle before.
    func hasMet(_ handle: Handle) async throws(MessengerError) -> Bool {
        try await alone { (messenger, store) throws(MessengerError) in try messenger.pin(handle, store) != nil }
    }

    /// Remembers how far the Welcomes in the mailbox were taken over.
    func keep(welcomes number: UInt64) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in try store.put(number, as: .welcomes, []) }
    }

    /// Remembers where the clock is that does not go back.
    func keep(steady moment: UInt64) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in try store.put(moment, as: .steady, []) }
    }
}
