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
}

extension Messenger {
    /// An account's present records, fetched now and held against the pin; the pin moves forward.
    func fetchAccount(
        _ handle: Handle,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> VerifiedAccount {
        let bundle: AccountBundle
        do throws(MessengerError) {
            bundle = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.account(handle, token)
            }
        } catch .refused(let error) where error.code == .unknownAccount {
            throw .unknownAccount(handle)
        }
        do {
            let pin = try pin(handle, store)
            let found = try bundle.verified(for: handle, on: account.relay, pin: pin, at: clock.seconds)
            if found.pin != pin { try keep(found.pin, store) }
            verified[handle] = found
            return found
        } catch {
            throw MessengerError(error)
        }
    }

    /// The verified record of a device of an account, from what was fetched before where that is enough.
    ///
    /// - Returns: `nil` when the device is not on the account's newest list, or its record has run out.
    func device(
        _ device: DeviceID,
        of account: AccountID,
        _ handle: Handle,
        own: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> DeviceRecord? {
        if let known = verified[handle], known.record.account == account, let record = known.devices[device] {
            return record
        }
        let found: VerifiedAccount
        do throws(MessengerError) {
            found = try await fetchAccount(handle, own, store)
        } catch .identity(.deviceExpired) {
            return nil
        }
        guard found.record.account == account else { return nil }
        return found.devices[device]
    }

    /// What is remembered of an account.
    func pin(_ handle: Handle, _ store: ClientStore) throws(MessengerError) -> AccountPin? {
        try store.record(.pin, Array(handle.text.utf8))?.pin()
    }

    /// Remembers an account.
    func keep(_ pin: AccountPin, _ store: ClientStore) throws(MessengerError) {
        try store.put(PinRecord(pin), as: .pin, Array(pin.handle.text.utf8))
    }

    /// Pins a member on another member's word, or holds that word against the pin there is.
    func meet(_ member: Member, _ store: ClientStore) throws(MessengerError) {
        if let pin = try pin(member.handle, store) {
            do { try pin.mustBe(account: member.account, identityKey: member.identityKey) } catch {
                throw .identity(error)
            }
        } else {
            try keep(member.pin, store)
        }
    }
}
