import MildamIdentity

extension Messenger {
    /// A room's messages from a number on; what is new at the relay is taken in first.
    ///
    /// - Parameter fetching: whether to ask the relay, or show only what this device has.
    public func read(
        _ room: String,
        from number: UInt64 = 1,
        fetching: Bool = true
    ) async throws(MessengerError) -> (room: RoomSummary, entries: [RoomEntry]) {
        try await alone { (messenger, store) throws(MessengerError) in
            var ledger = try messenger.resolve(room, store)
            if fetching {
                let account = try messenger.account(store)
                try await messenger.checkMembers(ledger.room, account, store)
                let sent = try await messenger.flush(ledger.room, store)
                ledger =
                    sent.isEmpty
                    ? try messenger.ledger(ledger.room, store)
                    : try await messenger.catchUp(ledger.room, account, store)
            }
            return (RoomSummary(ledger), try messenger.entries(of: ledger, from: number, store))
        }
    }

    /// What this device has of a room, from a number on, and all of it: of a row whose name was damaged, nothing else
    /// would say that it is missing.
    func entries(
        of ledger: RoomLedger,
        from number: UInt64,
        _ store: ClientStore
    ) throws(MessengerError) -> [RoomEntry] {
        let entries = try store.entries(of: ledger.room, from: number)
        let last = ledger.seen.number
        let before = max(ledger.start.number, number == 0 ? 0 : number - 1)
        guard UInt64(entries.count(where: { $0.number > before })) == (last > before ? last - before : 0) else {
            throw .stateDamaged("messages of \(ledger.name) are missing from its database; restore it from a backup")
        }
        return entries
    }
}
