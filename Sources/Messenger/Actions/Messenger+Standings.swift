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

    /// Tells the relay what it does not have yet, while the profile is nobody's. Where it cannot be reached, it is told
    /// with the next mail that is taken.
    func tellStandings() async throws(MessengerError) {
        let due = try await alone { (_, store) throws(MessengerError) in
            (try store.record(.standings, []) ?? ToldStandings()).due
        }
        let door = RelayDoor(self, clock: clock)
        for (other, entry) in due {
            var refusal: APIError?
            do throws(MessengerError) {
                try await tell(entry, of: other, over: door)
            } catch {
                // A relay that will not hear it is not asked again: this client holds to it all the same.
                guard case .refused(let found) = error, !found.mayPass,
                    ![.unauthorized, .storageFull].contains(found.code)
                else { return }
                refusal = found
            }
            try await note(entry, of: other, refused: refusal)
        }
    }

    /// What the relay would not be told, and nobody was told of yet.
    func takeRefusedStandings() -> [RefusedStanding] {
        defer { refusedStandings = [] }
        return refusedStandings
    }

    private func tell(
        _ entry: ToldStandings.Entry,
        of other: AccountID,
        over door: RelayDoor
    ) async throws(MessengerError) {
        try await door.ask { (relay, access) throws(MessengerError) -> Void in
            if let standing = entry.standing {
                let request = StandingRequest(account: other, standing: standing)
                try await relay.putStanding(entry.id, request, access)
            } else {
                try await relay.deleteStanding(entry.id, access)
            }
        }
    }

    /// The relay has heard of an entry. One that says something else by now is to be told anew.
    private func note(
        _ entry: ToldStandings.Entry,
        of other: AccountID,
        refused refusal: APIError?
    ) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) -> Void in
            guard var standings = try store.record(.standings, []) else { return }
            guard let refusal, refusal.code == .quotaExceeded, let standing = entry.standing else {
                standings.settle(entry, of: other)
                return try store.put(standings, as: .standings, [])
            }
            let isNew = standings.refuse(entry, of: other)
            try store.put(standings, as: .standings, [])
            guard isNew else { return }
            let handle = try messenger.handle(of: other, store)
            let refused = RefusedStanding(handle: handle, standing: standing, reason: refusal.message)
            messenger.refusedStandings.append(refused)
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
