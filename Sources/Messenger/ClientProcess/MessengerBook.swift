import MildamClientStore
import MildamCrypto
import MildamIdentity
import MildamStorage

extension RecordKind {
    /// Up to which number a room was read, by room.
    static var readThrough: RecordKind<UInt64> { RecordKind<UInt64>(text: "read through") }
    /// Texts that could not be said; one, under an empty name.
    static var unsaid: RecordKind<[UnsaidText]> { RecordKind<[UnsaidText]>(text: "unsaid") }
}

/// A profile's own records of whose it is, whom it has met, and how far it has read. What was looked up is kept for a
/// moment: hundreds of items are drawn of a few people.
public actor MessengerBook: ProfileBook {
    let messenger: Messenger
    private var known: (owner: ProfileOwner?, at: ContinuousClock.Instant)?
    private var handles: (byAccount: [AccountID: Handle], at: ContinuousClock.Instant)?
    private var read: [RoomID: UInt64] = [:]
    private var older: [OlderLedger]?
    private var texts: [UnsaidText]?

    /// How long a name that was not found is not looked for again.
    private static let missPatience = Duration.milliseconds(50)
    /// How long what was looked up is believed.
    private static let freshness = Duration.seconds(5)

    /// The records of a profile.
    public init(_ messenger: Messenger) { self.messenger = messenger }

    /// Whose profile it is; `nil` where it has no account, or its records cannot be read.
    public func owner() async -> ProfileOwner? {
        if let known, ContinuousClock.now - known.at < MessengerBook.freshness { return known.owner }
        let owner = try? await messenger.owner()
        known = (owner, .now)
        return owner
    }

    /// What an account is called, as far as that was seen.
    public func handle(of account: AccountID) async -> Handle? {
        if let handle = handles?.byAccount[account] { return handle }
        if let handles, ContinuousClock.now - handles.at < MessengerBook.missPatience { return nil }
        let found = (try? await messenger.knownHandles()) ?? [:]
        handles = (found, .now)
        return found[account]
    }

    /// The identity key of each account that was seen or compared, looked up each time: another program may have kept one.
    public func pins() async -> [AccountID: Curve25519.Signing.PublicKey] { (try? await messenger.pins()) ?? [:] }

    /// Up to which number a room was read.
    public func readThrough(_ room: RoomID) async -> UInt64 {
        if let number = read[room] { return number }
        guard let number = try? await messenger.readThrough(room) else { return 0 }
        // Somebody may have read on meanwhile.
        let newest = max(number, read[room] ?? 0)
        read[room] = newest
        return newest
    }

    /// By how many seconds this machine's clock is ahead of the relay's.
    public func clockSkew() async -> Int64? { messenger.clockSkew }

    /// Examines the profile, its way to the relay, and its rooms.
    public func findings() async -> [Finding] { await messenger.diagnose() }

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

    /// Forgets how far a room was read.
    ///
    /// - Throws: `not-stored`.
    public func forget(_ room: RoomID) async throws(RoomFault) {
        do throws(MessengerError) {
            try await messenger.forgetReading(room)
        } catch {
            throw .notStored(error)
        }
        read[room] = nil
    }

    /// The texts that an earlier version kept, since they could not be said, and that were not dropped.
    public func unsaid() async -> [UnsaidText] {
        if let texts { return texts }
        guard let found = try? await messenger.unsaid() else { return [] }
        // Somebody may have changed them meanwhile.
        let present = texts ?? found
        texts = present
        return present
    }

    /// Forgets one of them.
    ///
    /// - Throws: `not-stored`.
    public func drop(unsaid id: MessageID) async throws(RoomFault) -> Bool {
        guard await unsaid().contains(where: { $0.id == id }) else { return false }
        try await change { $0.filter { $0.id != id } }
        return true
    }

    private func change(_ change: @Sendable ([UnsaidText]) -> [UnsaidText]) async throws(RoomFault) {
        do throws(MessengerError) {
            texts = try await messenger.changeUnsaid(change)
        } catch {
            throw .notStored(error)
        }
    }
}

extension MessengerBook {
    /// The rooms of the first kind: nobody changes them while a client runs.
    ///
    /// - Throws: `not-readable`.
    public func olderRooms() async throws(RoomFault) -> [OlderLedger] {
        if let older { return older }
        do throws(MessengerError) {
            let found = try await messenger.olderRooms()
            older = found
            return found
        } catch {
            // Without an account nothing was ever said.
            guard case .noAccount = error else { throw .notReadable(error) }
            return []
        }
    }

    /// What a room of the first kind has under these numbers.
    ///
    /// - Throws: `not-readable`.
    public func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) async throws(RoomFault) -> [OlderRow] {
        do throws(MessengerError) {
            return try await messenger.olderRows(of: room, in: numbers)
        } catch {
            throw .notReadable(error)
        }
    }
}

extension Messenger {
    fileprivate func owner() async throws(MessengerError) -> ProfileOwner {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            return ProfileOwner(
                account: account.account,
                handle: account.handle,
                relay: account.relayAddress,
                isLoggedIn: try store.record(.session, []) != nil
            )
        }
    }

    fileprivate func olderRooms() async throws(MessengerError) -> [OlderLedger] {
        try await alone { (_, store) throws(MessengerError) in try store.allOlderRooms() }
    }

    fileprivate func olderRows(
        of room: OlderLedger,
        in numbers: ClosedRange<UInt64>
    ) async throws(MessengerError) -> [OlderRow] {
        try await alone { (_, store) throws(MessengerError) in
            do throws(StorageError) {
                return try store.olderRooms.rows(of: room, in: numbers)
            } catch {
                throw .storage(error)
            }
        }
    }

    fileprivate func readThrough(_ room: RoomID) async throws(MessengerError) -> UInt64 {
        try await alone { (_, store) throws(MessengerError) in try store.record(.readThrough, room.bytes) ?? 0 }
    }

    fileprivate func forgetReading(_ room: RoomID) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in try store.remove(.readThrough, room.bytes) }
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

extension Messenger {
    fileprivate func unsaid() async throws(MessengerError) -> [UnsaidText] {
        try await alone { (_, store) throws(MessengerError) in try store.record(.unsaid, []) ?? [] }
    }

    /// - Returns: the texts as they are now.
    fileprivate func changeUnsaid(
        _ change: @Sendable ([UnsaidText]) -> [UnsaidText]
    ) async throws(MessengerError) -> [UnsaidText] {
        try await alone { (_, store) throws(MessengerError) in
            let changed = change(try store.record(.unsaid, []) ?? [])
            try store.put(changed, as: .unsaid, [])
            return changed
        }
    }
}
