import MildamIdentity
import MildamRelayAPI

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

    /// Tells the relay what it does not have yet. Where it cannot be reached, it is told with the next mail that is taken.
    func tellStandings(_ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        guard var standings = try store.record(.standings, []) else { return }
        for (other, entry) in standings.due {
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
                guard case .refused(let refusal) = error, !refusal.mayPass, refusal.code != .unauthorized else {
                    return
                }
            }
            standings = try store.record(.standings, []) ?? standings
            standings.settle(entry, of: other)
            try store.put(standings, as: .standings, [])
        }
    }
}
