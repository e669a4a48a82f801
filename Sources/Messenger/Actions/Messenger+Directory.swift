import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// What a person sees of somebody else.
public struct ContactSummary: Codable, Sendable {
    /// The handle.
    public var handle: Handle
    /// What to compare with the other person.
    public var fingerprint: String
    /// Whether this account was met for the first time just now.
    public var isNew: Bool
    /// How far the key is believed.
    public var state: PinState
    /// The name of a room where the key was told, if that is all that is known of it.
    public var room: String?
    /// Whether another key was seen for the handle than this one, which was told. Missing where it was not.
    public var differs: Bool?

    init(_ pin: AccountPin, isNew: Bool = false) {
        handle = pin.handle
        fingerprint = pin.fingerprint.description
        self.isNew = isNew
        state = pin.state
    }

    /// - Parameter pin: what is remembered of the handle.
    init(_ member: Member, pin: AccountPin?) {
        self.init(member.pin.following(pin))
        if let pin, !pin.isSameKey(as: member.pin) { differs = true }
    }
}

extension Messenger {
    /// An account's present records, fetched now and held against the pin; the pin is made, or moves forward.
    func fetchAccount(
        _ handle: Handle,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> VerifiedAccount {
        try await fetchSigned(handle, account, store).verified
    }

    /// The same, with the records as they were signed.
    func fetchSigned(
        _ handle: Handle,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (verified: VerifiedAccount, bundle: AccountBundle) {
        let found = try await lookUpSigned(handle, evenIfChanged: false, account, store)
        let known = try pin(handle, store)
        let seen = found.verified.pin.following(known)
        if seen != known { try keep(seen, store) }
        verified[handle] = found.verified
        return found
    }

    /// The same without making a pin: for somebody whom this person has not dealt with yet.
    ///
    /// - Parameter evenIfChanged: whether another account or key than the pinned one is taken as well.
    func lookUp(
        _ handle: Handle,
        evenIfChanged: Bool = false,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> VerifiedAccount {
        try await lookUpSigned(handle, evenIfChanged: evenIfChanged, account, store).verified
    }

    private func lookUpSigned(
        _ handle: Handle,
        evenIfChanged: Bool,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (verified: VerifiedAccount, bundle: AccountBundle) {
        let shown: AccountBundle
        do throws(MessengerError) {
            shown = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.account(handle, access)
            }
        } catch .refused(let error) where error.code == .unknownAccount {
            throw .unknownAccount(handle)
        }
        let pin = try pin(handle, store)
        func verified(_ pin: AccountPin?) throws(IdentityError) -> VerifiedAccount {
            try shown.verified(for: handle, on: account.relay, pin: pin, at: clock.seconds)
        }
        do throws(IdentityError) {
            do throws(IdentityError) {
                return (try verified(pin), shown)
            } catch .identityKeyChanged where evenIfChanged {
                return (try verified(nil), shown)
            } catch .deviceListUnconnected where evenIfChanged {
                return (try verified(nil), shown)
            }
        } catch {
            guard case .deviceListTooOld(_, let shown, let known) = error else { throw .identity(error) }
            throw .relayIsBehind(.deviceList(handle, last: shown, seen: known))
        }
    }

    /// A member's account, fetched anew for a message that what was fetched before does not explain.
    ///
    /// - Returns: `nil` when nothing has changed, or when that was so too often: whoever sends rubbish does not keep this
    ///   client busy with asking.
    func fetchAgain(
        _ member: Member,
        own: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> VerifiedAccount? {
        let known = verified[member.handle].flatMap { Member($0.record) == member ? $0.list.number : nil }
        let forgotten = max(fruitlessFetches[member.account] ?? 0, clock.seconds)
        guard forgotten - clock.seconds < Int64(Messenger.attempts) * 60 else { return nil }
        let found = try await fetchAccount(member.handle, own, store)
        guard Member(found.record) == member, found.list.number != known else {
            fruitlessFetches[member.account] = forgotten + 60
            return nil
        }
        return found
    }

    /// The pin of an account: what was seen of it, or compared. What was only told is none.
    func pin(_ handle: Handle, _ store: ClientStore) throws(MessengerError) -> AccountPin? {
        guard let pin = try store.record(.pin, Array(handle.text.utf8))?.pin() else { return nil }
        if pin.state.isPin { return pin }
        // Of itself this account believes nobody's word, whenever it was made.
        return try store.record(.account, [])?.handle == handle ? pin.believed(.compared) : nil
    }

    /// Remembers an account.
    func keep(_ pin: AccountPin, _ store: ClientStore) throws(MessengerError) {
        try store.put(PinRecord(pin), as: .pin, Array(pin.handle.text.utf8))
    }

    /// Whether somebody goes in a room by a handle under which this profile has seen another account or key.
    func isOtherIdentity(
        _ member: Member,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Bool {
        guard member.account != account.account, let pin = try pin(member.handle, store) else { return false }
        return !pin.isSameKey(as: member.pin)
    }
}
