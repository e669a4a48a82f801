import MildamClientCore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamSystem

/// The client's core with what it does without: a relay, a store, a clock and chance.
///
/// Steps are made one after the other, and what one asks for is done when its changes are stored. Whether the relay can be reached
/// or not, wishes are taken on and entries are read; ``run()`` is what connects.
public actor GroupRooms<Store: RoomRecords> {
    let messenger: Messenger
    let relay: RoomRelay
    let steady: SteadyClock
    var stored: StoredCore<Store, EffectQueue>
    var wishes = WishLedger()
    var titles = RoomTitles()
    /// What is shown of the groups of rooms that are asleep.
    var asleep: [RoomID: GroupView] = [:]
    /// The connection, while there is one.
    var link: RoomLink?
    var lastLink = 0
    /// The number of the last Welcome that was taken over from the mailbox.
    var welcomes: UInt64
    /// Whether the mailbox is being read, whether it is about to be, and who waits to read it.
    var isReadingMail = false
    var isMailDue = false
    var mailReaders: [CheckedContinuation<Void, Never>] = []
    /// Whether the list of rooms is being read since the relay told of it, and whether it has told again.
    var isReadingDueRooms = false
    var areRoomsDue = false
    /// How often the tree of a Welcome in the mailbox could not be had, by the number of the item.
    var failedTrees: [UInt64: FailedTree] = [:]
    var state = RelayConnection.idle
    /// The identity keys that the core was told the person knows.
    var pinned: [AccountID: Curve25519.Signing.PublicKey] = [:]
    /// The members of rooms that the relay does not have there any more, when it was last asked for its rooms.
    var missing: Set<AccountID> = []
    /// The wait for the next attempt to reach the relay.
    var pausing: Task<Void, Never>?
    /// Who waits for how an attempt goes.
    var reaching: [Int: CheckedContinuation<RelayConnection, Never>] = [:]
    /// Why a step could not be stored since the last attempt to connect began; `nil` where all were.
    var unstored: RoomFault?
    /// The rooms that were accepted, of which the relay is to be told.
    var untold: Set<RoomID>
    /// The rooms that wait for a person, since a stranger wants this account in them.
    var strangers: Set<RoomID>
    /// Those of them that are being accepted, and how many were so far.
    var admitting: Set<RoomID> = []
    var admitted = 0
    /// Whether it has ended: nothing is stored any more.
    private(set) var isRetired = false
    /// Whether this machine's clock and the relay's were found to differ.
    var isClockOff = false
    /// Whether accounts are about to be looked at.
    var isGettingToKnow = false
    private var isToForget = false
    private var wake: (moment: UInt64, timer: Task<Void, Never>)?
    private var listeners: [Int: AsyncStream<RoomChange>.Continuation] = [:]
    private var lastListener = 0

    /// The rooms of a profile, from what a store has of them.
    ///
    /// - Throws: a ``RoomFault``: there is no account, or what is stored cannot be read.
    public init(_ messenger: Messenger, store: sending Store) async throws(RoomFault) {
        let profile: RoomProfile
        let requests: [RoomRequests.Item]
        let untold: Set<RoomID>
        do throws(MessengerError) {
            profile = try await messenger.roomProfile()
            requests = try await messenger.roomRequests()
            untold = try await messenger.untoldRooms()
        } catch {
            throw RoomFault(error)
        }
        let begun: StoredClient
        do { begun = try store.stored() } catch { throw .notReadable(error) }
        let core = ClientCore(profile.device, stored: begun, randomness: .system)
        let clock = messenger.clock
        self.messenger = messenger
        let door = RelayDoor(messenger, clock: clock)
        relay = RoomRelay(door: door, accounts: AccountDirectory(messenger, door: door, clock: clock))
        steady = SteadyClock(notBefore: profile.steady, wall: UInt64(clamping: clock.milliseconds))
        stored = StoredCore(core, store: store, delivery: EffectQueue())
        welcomes = profile.welcomes
        strangers = Set(requests.map(\.room))
        self.untold = untold
    }

    deinit {
        wake?.timer.cancel()
        for listener in listeners.values { listener.finish() }
    }

    /// The rooms, as they are.
    var present: [RoomID: RoomCore] { stored.core.rooms }

    var moment: Moment {
        Moment(steady: steady.now, wall: UInt64(clamping: messenger.clock.milliseconds))
    }

    // MARK: Steps

    /// Makes a step, and begins what it asks for.
    ///
    /// - Throws: `not-stored`, `lent`: it is as if nothing had happened.
    func take(_ happenings: [Happening]) throws(RoomFault) {
        guard !isRetired else { throw .lent }
        do { try stored.take(happenings, at: moment) } catch { throw .notStored(error) }
        for case .noMember(let room) in happenings { tell(.shutOut(room)) }
        var kept: [Happening] = []
        for effect in stored.delivery.takeAll() {
            switch effect {
            case .request(let id, let request): link?.add(id, request)
            case .show(let room, let entry):
                titles.take(entry, of: room)
                if case .members(let joined, _) = entry.kind, !joined.isEmpty { getToKnow() }
                tell(.entry(room, entry))
            case .tell(let room, let notice): take(notice, of: room)
            case .wake(let moment): wake(at: moment)
            case .readKept(let room, let number):
                let messages = try? stored.store.kept(of: room, after: number)
                kept.append(.kept(room, messages ?? []))
            case .readSaid(let room, let numbers):
                kept.append(.said(room, (try? stored.store.entries(of: room, in: numbers)) ?? []))
            case .readLost(let room, let numbers, let second):
                kept.append(.lost(room, try? stored.store.lostWords(of: room, in: numbers, keptAt: second)))
            }
        }
        if !kept.isEmpty { try take(kept) }
        ask()
        follow()
        forgetSoon()
    }

    /// Has the store make unreadable what was deleted, once for the steps of about a second.
    private func forgetSoon() {
        guard stored.store.hasRemains, !isToForget, !isRetired else { return }
        isToForget = true
        Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(900))
            await self?.forgetRemains()
        }
    }

    private func forgetRemains() {
        isToForget = false
        guard !isRetired else { return }
        do {
            try stored.store.forgetRemains()
        } catch {
            // Somebody reads it just now.
            forgetSoon()
        }
    }

    /// Makes a step that nobody waits for. Where it cannot be stored the connection ends: with the next one all is asked for anew.
    ///
    /// - Returns: whether it is stored.
    @discardableResult
    func attempt(_ happenings: [Happening]) -> Bool {
        do throws(RoomFault) {
            try take(happenings)
            return true
        } catch {
            unstored = error
            tell(.notStored(error))
            link?.socket.close()
            wake(at: steady.now + 5000)
            return false
        }
    }

    private func take(_ notice: Notice, of room: RoomID) {
        wishes.take(notice)
        if case .wishIsDone = notice, untold.contains(room) {
            Task { try? await tellAccepted() }
            getToKnow()
        }
        if case .invited = notice { getToKnow() }
        tell(.notice(room, notice))
    }

    // MARK: Time

    /// Wants a step at a moment of the steady clock, at the latest.
    private func wake(at moment: UInt64) {
        guard !isRetired else { return }
        if let wake, wake.moment <= moment { return }
        wake?.timer.cancel()
        let wait = Duration.milliseconds(moment - min(moment, steady.now))
        let timer = Task { [weak self] in
            do { try await Task.sleep(for: wait) } catch { return }
            await self?.ring(at: moment)
        }
        wake = (moment, timer)
    }

    private func ring(at moment: UInt64) {
        guard wake?.moment == moment else { return }
        wake = nil
        attempt([.tick])
    }

    // MARK: Who listens

    /// Tells those who listen.
    func tell(_ change: RoomChange) { for listener in listeners.values { listener.yield(change) } }

    /// Begins to listen.
    func listen() -> AsyncStream<RoomChange> {
        lastListener += 1
        let number = lastListener
        let (stream, listener) = AsyncStream.makeStream(of: RoomChange.self)
        guard !isRetired else {
            listener.finish()
            return stream
        }
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.stopListening(number) }
        }
        return stream
    }

    private func stopListening(_ number: Int) { listeners[number] = nil }

    // MARK: The end

    /// Ends it, so that others can drive the same rooms from the same store: nothing is stored from here on, whoever asks for it.
    ///
    /// - Returns: what is not stored, for those others.
    func retire() -> RoomMemory {
        isRetired = true
        wake?.timer.cancel()
        wake = nil
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        stored.store.rest()
        defer { wishes.giveUpAll() }
        return RoomMemory(wishes: wishes.outcomes)
    }

    /// Goes on from where others were.
    func remember(_ memory: RoomMemory) {
        wishes.remember(memory.wishes)
    }
}

/// What is known of rooms while they are driven, and not stored.
struct RoomMemory: Sendable {
    /// What came of the last wishes, in the order in which it came.
    let wishes: [(id: MessageID, outcome: WishProgress)]
}
