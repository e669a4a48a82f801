import MildamIdentity
import MildamRoomRules
import MildamSystem

/// Whose commits others could not read, by room: who was named by two, or by all others who are online, commits once an hour
/// (H9). From any thread.
final class BlamedRooms: Sendable {
    /// Rooms that are remembered. Where there are more, the one in which nobody was named for longest is forgotten.
    static let maximumRooms = 1_024

    private let online: OnlineAccounts
    /// Whether the relay was put back, and members give back what it lost.
    private let isTakingBack: @Sendable () -> Bool
    private let rooms = Lock<[RoomID: BlamedCommitters]>([:])

    /// Nobody is named.
    init(
        online: OnlineAccounts = OnlineAccounts(),
        isTakingBack: @escaping @Sendable () -> Bool = { false }
    ) {
        self.online = online
        self.isTakingBack = isTakingBack
    }

    /// An account came back from outside, and names a commit of another one as that which it could not read. Where the relay was
    /// put back nobody is to blame for that: devices are ahead of it.
    ///
    /// - Parameters:
    ///   - members: the room's accounts.
    ///   - now: seconds of a clock that does not go back.
    func name(
        _ account: AccountID,
        by other: AccountID,
        of members: Set<AccountID>,
        in room: RoomID,
        at now: UInt64
    ) {
        guard !isTakingBack() else { return }
        let present = online.among(members)
        rooms.withLock { rooms in
            if rooms[room] == nil, rooms.count >= Self.maximumRooms,
                let oldest = rooms.min(by: { $0.value.lastNamed < $1.value.lastNamed })
            {
                rooms[oldest.key] = nil
            }
            rooms[room, default: BlamedCommitters()].name(account, by: other, online: present, at: now)
        }
    }

    /// Takes a commit, or refuses it.
    ///
    /// - Parameter isOfSelfRemoves: whether it has nothing but SelfRemoves of others.
    /// - Throws: `blamedAccountCommitsHourly`.
    func take(
        from account: AccountID,
        in room: RoomID,
        isOfSelfRemoves: Bool,
        at now: UInt64
    ) throws(RoomRefusal) {
        try rooms.withLock { rooms throws(RoomRefusal) in
            guard var blamed = rooms[room] else { return }
            blamed.forget(at: now)
            defer { rooms[room] = blamed.isEmpty ? nil : blamed }
            try blamed.take(from: account, isOfSelfRemoves: isOfSelfRemoves, at: now)
        }
    }
}
