import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// What members of rooms have shown since the relay's store was put back: for a day they may give back what it lost. From any
/// thread.
final class Restoration: Sendable {
    /// For how long messages are taken back, in milliseconds: a day.
    static let length: Int64 = 86_400_000

    /// Which store it is.
    let incarnation: IncarnationID
    private let restored: Int64
    private let clock: WallClock
    /// Nanoseconds of a clock that does not go back.
    private let steady: @Sendable () -> UInt64
    private let begun: UInt64
    private let known = Lock(Known())

    private struct Known {
        var rooms: [RoomID: Entry] = [:]
        var held = HeldMessages()
    }

    private struct Entry {
        /// When the first member came.
        let came: UInt64
        var heard: Set<AccountID> = []
        /// When something was shown or given back last.
        var moved: UInt64
        /// For how long something was waited for before that, in nanoseconds.
        var waited: UInt64 = 0
        /// The number that was due when the first member came.
        var base: UInt64 = 0
        /// The number that was due when somebody came or gave something back last.
        var due: UInt64 = 0
        /// The highest number that somebody had shown when a member came last.
        var shown: UInt64 = 0
        var hasGoneOn = false
        /// Whether the room was begun since.
        var isNew = false

        /// Something is waited for anew: what was waited until now counts.
        mutating func move(at now: UInt64) {
            let begun = max(moved, came)
            waited += min(now - min(now, begun), RestoredRoom.shortPatience * 1_000_000)
            moved = now
        }
    }

    init(_ store: StoreIdentity, clock: WallClock, steady: @escaping @Sendable () -> UInt64) {
        incarnation = store.incarnation
        restored = store.restored
        self.clock = clock
        self.steady = steady
        begun = steady()
    }

    /// Whether messages are taken back.
    var isOpen: Bool {
        let now = clock.milliseconds
        return restored > 0 && now >= restored && now - restored < Self.length
    }

    /// What is known of a room; `nil` where nothing is taken back.
    func room(_ room: RoomID) -> RestoredRoom? {
        guard isOpen else {
            if restored > 0 { known.withLock { $0 = Known() } }
            return nil
        }
        let (entry, held) = known.withLock { ($0.rooms[room], $0.held.numbers(in: room)) }
        let now = steady()
        let age = (now - min(now, entry?.came ?? now)) / 1_000_000
        let silence = (now - min(now, entry?.moved ?? begun)) / 1_000_000
        return RestoredRoom(
            heard: entry?.heard ?? [],
            age: age,
            silence: silence,
            waited: (entry?.waited ?? 0) / 1_000_000,
            base: entry?.base ?? 0,
            due: entry?.due ?? 0,
            shown: entry?.shown ?? 0,
            held: held,
            hasGoneOn: entry?.hasGoneOn ?? false,
            isNew: entry?.isNew ?? false
        )
    }

    /// Whether something new has got a number in a room since.
    func hasGoneOn(_ room: RoomID) -> Bool { known.withLock { $0.rooms[room]?.hasGoneOn == true } }

    /// A room was begun. Where nothing was said in it yet, whoever began it is alone there, and nobody else is waited for.
    func begin(_ room: RoomID, with result: Result<RoomState, APIError>) {
        guard isOpen, case .success(let state) = result, state.next == 1 else { return }
        let now = steady()
        known.withLock { $0.rooms[room, default: Entry(came: now, moved: begun)].isNew = true }
    }

    /// A member has come, whatever it shows: for those who do not, the time is counted from the first on.
    ///
    /// - Parameters:
    ///   - next: the number that is due.
    ///   - shown: the highest number that somebody has shown.
    func come(in room: RoomID, due next: UInt64, shown: UInt64) {
        let now = steady()
        known.withLock { known in
            var entry = known.rooms[room] ?? Entry(came: now, moved: begun)
            entry.due = max(entry.due, next)
            entry.shown = max(entry.shown, shown)
            if entry.base == 0 { entry.base = next }
            known.rooms[room] = entry
        }
    }

    /// Something was sent to a room. Where it is new, and no retry of what the room has, the room goes on with it.
    func goOn(in room: RoomID, with result: Result<SendReceipt, APIError>) {
        guard case .success(let receipt) = result else { return }
        known.withLock { known in
            guard var entry = known.rooms[room], receipt.number >= entry.due else { return }
            entry.hasGoneOn = true
            known.rooms[room] = entry
            known.held.forgetSaid(in: room)
        }
    }

    /// A member has shown what it knows.
    ///
    /// - Parameter isNew: whether that is more than others have shown.
    func hear(_ account: AccountID, in room: RoomID, isNew: Bool) {
        let now = steady()
        known.withLock { known in
            var entry = known.rooms[room] ?? Entry(came: now, moved: begun)
            let isFirst = entry.heard.insert(account).inserted
            // Nobody holds a room up by showing one more again and again.
            if isNew, isFirst { entry.move(at: now) }
            known.rooms[room] = entry
        }
    }

    /// Something was given back, or given up before what somebody has: what comes next is waited for anew.
    ///
    /// - Parameter next: the number that is due by now, where that has changed.
    func move(_ room: RoomID, due next: UInt64 = 0) {
        let now = steady()
        known.withLock { known in
            var entry = known.rooms[room] ?? Entry(came: now, moved: begun)
            entry.move(at: now)
            entry.due = max(entry.due, next)
            known.rooms[room] = entry
        }
    }

    /// Numbers were given up, which is no word of a member: where nothing is missing behind them, nobody is waited for once more.
    ///
    /// - Parameter lacksMore: whether something is.
    func giveUp(in room: RoomID, lacksMore: Bool) {
        guard !lacksMore else { return move(room) }
        known.withLock { $0.held.forget(room) }
    }

    /// A request that gives back has come: what it brings is offered from now on, before it is looked at, so that nobody else passes
    /// it over. Of an account that was not heard yet nothing is: it may be a stranger's, and a member is waited for in any case.
    func receive(_ request: RefillRequest, of sender: Sender, in room: RoomID) {
        guard let restored = self.room(room), restored.heard.contains(sender.account) else { return }
        let offered = request.due(from: 1, in: restored)
        known.withLock { $0.held.hold(offered, of: sender, in: room, isInHand: true) }
    }

    /// Holds what a member has and is not due yet; ascending.
    func hold(_ messages: ArraySlice<RefilledMessage>, of sender: Sender, in room: RoomID) {
        known.withLock { $0.held.hold(messages, of: sender, in: room) }
    }

    /// What somebody wanted there is refused: nothing more is taken of what their device has offered, and whoever is no member is
    /// a stranger from then on.
    func forget(_ sender: Sender, in room: RoomID, refusedBy refusal: APIError) {
        known.withLock { known in
            known.held.forget(sender.address, in: room)
            if refusal.code == .notAMember { known.rooms[room]?.heard.remove(sender.account) }
        }
    }

    /// Nothing more is taken of what a device has offered to a room.
    func forget(_ sender: Sender, in room: RoomID) {
        known.withLock { $0.held.forget(sender.address, in: room) }
    }

    /// A session is over: nothing more is taken of what it has offered.
    func forget(_ session: SessionID, of account: AccountID) {
        known.withLock { $0.held.forget(session, of: account) }
    }

    /// Begins to take what is held under the number that is due; `nil` where nobody else offers it, or it is being taken.
    ///
    /// - Parameter tried: whose was tried just now.
    func beginHeld(
        _ number: UInt64,
        in room: RoomID,
        besides tried: Set<MailboxAddress> = []
    ) -> (sender: Sender, message: RefilledMessage)? {
        known.withLock { $0.held.begin(number, in: room, besides: tried) }
    }

    /// What was held was taken, or not.
    ///
    /// - Parameter isOver: whether it was taken, or refused for good.
    func endHeld(_ number: UInt64, of sender: Sender, in room: RoomID, isOver: Bool) {
        let now = steady()
        known.withLock { $0.held.end(number, of: sender, in: room, isOver: isOver, at: now) }
    }
}
