import MildamIdentity

extension Messenger {
    /// A room's messages from a number on; what is new at the relay is taken in first.
    ///
    /// - Parameter fetching: whether to ask the relay, or show only what this device has.
    public func read(
        _ room: String, from number: UInt64 = 1, fetching: Bool = true
    ) async throws(MessengerError) -> (room: RoomSummary, entries: [RoomEntry]) {
        try await alone { (messenger, store) throws(MessengerError) in
            var ledger = try messenger.resolve(room, store)
            if fetching {
                let account = try messenger.account(store)
                try await messenger.checkMembers(ledger.room, account, store)
                let sent = try await messenger.flush(store)
                ledger =
                    sent.isEmpty
                    ? try messenger.ledger(ledger.room, store)
                    : try await messenger.catchUp(ledger.room, account, store)
            }
            return (RoomSummary(ledger), try store.entries(of: ledger.room, from: number))
        }
    }
}
