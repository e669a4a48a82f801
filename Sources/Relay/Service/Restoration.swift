import MildamIdentity
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
    private let rooms = Lock<[RoomID: Entry]>([:])

    private struct Entry {
        /// When the first member came.
        let came: UInt64
        var heard: Set<AccountID> = []
        /// When something was shown or given back last.
        var moved: UInt64
        var offered: UInt64?
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
        guard isOpen else { return nil }
        let entry = rooms.withLock { $0[room] }
        let now = steady()
        let age = (now - min(now, entry?.came ?? now)) / 1_000_000
        let silence = (now - min(now, entry?.moved ?? begun)) / 1_000_000
        return RestoredRoom(heard: entry?.heard ?? [], age: age, silence: silence, offered: entry?.offered)
    }

    /// A member has come, whatever it shows: for those who do not, the time is counted from the first on.
    func come(in room: RoomID) {
        let now = steady()
        rooms.withLock { rooms in
            guard rooms[room] == nil else { return }
            rooms[room] = Entry(came: now, moved: begun)
        }
    }

    /// A member has shown what it knows.
    ///
    /// - Parameter isNew: whether that is more than others have shown.
    func hear(_ account: AccountID, in room: RoomID, isNew: Bool) {
        let now = steady()
        rooms.withLock { rooms in
            var entry = rooms[room] ?? Entry(came: now, moved: begun)
            let isFirst = entry.heard.insert(account).inserted
            // Nobody holds a room up by showing one more again and again.
            if isNew, isFirst { entry.moved = now }
            rooms[room] = entry
        }
    }

    /// Something was given back, or given up before what somebody has: what comes next is waited for anew.
    func move(_ room: RoomID) {
        let now = steady()
        rooms.withLock { rooms in
            var entry = rooms[room] ?? Entry(came: now, moved: begun)
            entry.moved = now
            entry.offered = nil
            rooms[room] = entry
        }
    }

    /// Numbers were given up, which is no word of a member: where nothing is missing behind them, nobody is waited for once more.
    ///
    /// - Parameter lacksMore: whether something is.
    func giveUp(in room: RoomID, lacksMore: Bool) {
        guard !lacksMore else { return move(room) }
        rooms.withLock { rooms in
            guard var entry = rooms[room] else { return }
            entry.offered = nil
            rooms[room] = entry
        }
    }

    /// Somebody has a message with this number, which is not due yet.
    func offer(_ number: UInt64, in room: RoomID) {
        let now = steady()
        rooms.withLock { rooms in
            var entry = rooms[room] ?? Entry(came: now, moved: begun)
            entry.offered = min(number, entry.offered ?? number)
            rooms[room] = entry
        }
    }
}
