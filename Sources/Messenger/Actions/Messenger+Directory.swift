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
    /// Records that the relay shows for a handle, held against the pin, which is made or moves forward.
    func believe(
        _ shown: AccountBundle,
        of handle: Handle,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> VerifiedAccount {
        let found = try verify(shown, of: handle, evenIfChanged: false, account, store)
        let known = try pin(handle, store)
        let seen = found.pin.following(known)
        if seen != known { try keep(seen, store) }
        return found
    }

    /// Records that the relay shows for a handle, held against the pin, which stays as it is.
    ///
    /// - Parameter evenIfChanged: whether another account or key than the pinned one is taken as well.
    func verify(
        _ shown: AccountBundle,
        of handle: Handle,
        evenIfChanged: Bool = false,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> VerifiedAccount {
        let pin = try pin(handle, store)
        func verified(_ pin: AccountPin?) throws(IdentityError) -> VerifiedAccount {
            try shown.verified(for: handle, on: account.relay, pin: pin, at: clock.seconds)
        }
        do throws(IdentityError) {
            do throws(IdentityError) {
                return try verified(pin)
            } catch .identityKeyChanged where evenIfChanged {
                return try verified(nil)
            } catch .deviceListUnconnected where evenIfChanged {
                return try verified(nil)
            }
        } catch {
            guard case .deviceListTooOld(_, let shown, let known) = error else { throw .identity(error) }
            throw .relayIsBehind(.deviceList(handle, last: shown, seen: known))
        }
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
        pinsChanged?()
    }
}
