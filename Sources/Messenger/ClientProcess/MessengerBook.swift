import MildamIdentity

extension RecordKind {
    /// Up to which number a room was read, by room.
    static var readThrough: RecordKind<UInt64> { RecordKind<UInt64>(text: "read through") }
}

/// A profile's own records of whose it is, whom it has met, and how far it has read. What was looked up is kept for a
/// moment: hundreds of items are drawn of a few people.
public actor MessengerBook: ProfileBook {
    private let messenger: Messenger
    private var known: (owner: ProfileOwner?, at: ContinuousClock.Instant)?
    private var handles: (byAccount: [AccountID: Handle], at: ContinuousClock.Instant)?
    private var read: [RoomID: UInt64] = [:]

    /// How long what was looked up is believed.
    private static let freshness = Duration.seconds(5)

    /// The records of a profile.
    public init(_ messenger: Messenger) { self.messenger = messenger }

    /// Whose profile it is; `nil` where it has no account, or its records cannot be read.
    public func owner() async -> ProfileOwner? {
        if let known, ContinuousClock.now - known.at < MessengerBook.freshness { return known.owner }
        let owner = (try? await messenger.accountSummary()).map {
            ProfileOwner(account: $0.account, handle: $0.handle, relay: $0.relayAddress, isLoggedIn: $0.isLoggedIn)
        }
        known = (owner, .now)
        return owner
    }

    /// What an account is called, as far as that was seen.
    public func handle(of account: AccountID) async -> Handle? {
        if let handle = handles?.byAccount[account] { return handle }
        if let handles, ContinuousClock.now - handles.at < MessengerBook.freshness { return nil }
        let found = (try? await messenger.knownHandles()) ?? [:]
        handles = (found, .now)
        return found[account]
    }

    /// Up to which number a room was read.
    public func readThrough(_ room: RoomID) async -> UInt64 {
        if let number = read[room] { return number }
        guard let number = try? await messenger.readThrough(room) else { return 0 }
        // Somebody may have read on meanwhile.
        let newest = max(number, read[room] ?? 0)
        read[room] = newest
        return newest
    }

    /// Notes how far a room was read.
    ///
    /// - Throws: `not-stored`.
    public func markRead(_ room: RoomID, through number: UInt64) async throws(RoomFault) {
        guard number > (await readThrough(room)) else { return }
        do throws(MessengerError) {
            read[room] = try await messenger.markRead(room, through: number)
        } catch {
            throw .notStored(error)
        }
    }
}

extension Messenger {
    fileprivate func readThrough(_ room: RoomID) async throws(MessengerError) -> UInt64 {
        try await alone { (_, store) throws(MessengerError) in try store.record(.readThrough, room.bytes) ?? 0 }
    }

    /// - Returns: how far it is read now.
    fileprivate func markRead(_ room: RoomID, through number: UInt64) async throws(MessengerError) -> UInt64 {
        try await alone { (_, store) throws(MessengerError) in
            let newest = max(number, try store.record(.readThrough, room.bytes) ?? 0)
            try store.put(newest, as: .readThrough, room.bytes)
            return newest
        }
    }
}
