import MildamIdentity

/// What this device has of a room.
public struct RoomReading: Sendable {
    /// The room.
    public var room: RoomSummary
    /// Its messages, ascending.
    public var entries: [RoomEntry]
    /// How many messages before these are on this device, too.
    public var earlier: UInt64
    /// Why it is not all, or nothing can be sent there now.
    public var trouble: MessengerError?
}

/// Which of a room's messages to show.
public enum ReadingRange: Sendable {
    /// So many of the newest.
    case last(UInt64)
    /// All from a number on.
    case from(UInt64)
}

extension Messenger {
    /// A room's messages; what is new at the relay is taken in first, as far as one command does.
    ///
    /// - Parameter fetching: whether to ask the relay, or show only what this device has.
    public func read(
        _ room: String,
        _ range: ReadingRange,
        fetching: Bool = true
    ) async throws(MessengerError) -> RoomReading {
        try await alone { (messenger, store) throws(MessengerError) in
            let room = try messenger.resolve(room, store).room
            let trouble = fetching ? try await messenger.refresh(room, store) : nil
            let ledger = try messenger.ledger(room, store)
            let first = ledger.start.number + 1
            let from =
                switch range {
                case .from(let number): max(number, first)
                case .last(let count): max(ledger.seen.number + 1 - min(count, ledger.seen.number), first)
                }
            return RoomReading(
                room: RoomSummary(ledger),
                entries: try messenger.entries(of: ledger, from: from, store),
                earlier: from - first,
                trouble: trouble
            )
        }
    }

    /// Takes in what is new, holds the members against the relay's list, and sends what waits.
    ///
    /// - Returns: what is the matter with the room; what was said in it can be read all the same.
    private func refresh(_ room: RoomID, _ store: ClientStore) async throws(MessengerError) -> MessengerError? {
        let account = try account(store)
        do throws(MessengerError) {
            try await checkMembers(room, account, store)
            if try await !flush(room, store).isEmpty { try await catchUp(room, account, store) }
            return nil
        } catch {
            guard error.leavesRoomReadable else { throw error }
            return error
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
