import MildamIdentity
import MildamRelayAPI

/// Something that the relay would not be told of another account, since it has no room for it.
public struct RefusedStanding: Sendable {
    /// Whom it is about, where this profile knows a handle.
    public let handle: Handle?
    /// What was to be said.
    public let standing: SenderStanding
    /// The relay's words.
    public let reason: String
}

/// What the relay is told of other accounts, so that it takes in what they send, or does not.
extension Messenger {
    /// Notes what is to be said of an account, or taken back.
    func say(
        _ standing: SenderStanding?,
        of other: AccountID,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) {
        guard other != account.account else { return }
        var standings = try store.record(.standings, []) ?? ToldStandings()
        standings.say(standing, of: other)
        try store.put(standings, as: .standings, [])
    }

    /// Tells the relay what it does not have yet.
    func tellStandings() async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            try await messenger.tellStandings(try messenger.account(store), store)
        }
    }

    /// The same. Where the relay cannot be reached, it is told with the next mail that is taken.
    func tellStandings(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        guard var standings = try store.record(.standings, []) else { return }
        for (other, entry) in standings.due {
            var refusal: APIError?
            do throws(MessengerError) {
                try await authorized(account, store) { (relay, access) throws(MessengerError) in
                    if let standing = entry.standing {
                        let request = StandingRequest(account: other, standing: standing)
                        try await relay.putStanding(entry.id, request, access)
                    } else {
                        try await relay.deleteStanding(entry.id, access)
                    }
                }
            } catch {
                // A relay that will not hear it is not asked again: this client holds to it all the same.
                guard case .refused(let found) = error, !found.mayPass,
                    ![.unauthorized, .storageFull].contains(found.code)
                else { return }
                refusal = found
            }
            standings = try store.record(.standings, []) ?? standings
            if let refusal, refusal.code == .quotaExceeded, let standing = entry.standing {
                let isNew = standings.refuse(entry, of: other)
                try store.put(standings, as: .standings, [])
                guard isNew else { continue }
                let handle = try handle(of: other, store)
                onRefusedStanding(RefusedStanding(handle: handle, standing: standing, reason: refusal.message))
            } else {
                standings.settle(entry, of: other)
                try store.put(standings, as: .standings, [])
            }
        }
    }

    private func handle(of other: AccountID, _ store: ClientStore) throws(MessengerError) -> Handle? {
        if let blocked = try store.consent().blocks.handle(of: other) { return blocked }
        for record in try store.records(.pin) {
            let pin = try record.pin()
            if pin.account == other { return pin.handle }
        }
        return nil
    }
}
