import MildamClientCore
import MildamIdentity

/// A relay in a simulation: asked and answered at once, in one thread. A value: a copy is what a backup is.
package protocol SimulatedRelay {
    /// Answers what a client asks.
    ///
    /// - Parameter seen: the last number that the device has of the room that it asks about.
    mutating func answer(_ request: RoomRequest, from device: OwnDevice, seen: UInt64) -> RelayReply
    /// What the log has after a number, as an account is shown it. That one asks says that one has read up to there.
    mutating func page(_ room: RoomID, after number: UInt64, for account: AccountID) -> LogPage
    /// The highest number of a room; 0 for none.
    func last(of room: RoomID) -> UInt64
    /// A message that the log has.
    func message(_ number: UInt64, in room: RoomID) -> NumberedMessage?
    /// The generation and the epoch that a room is in, and who has a leaf or a seat in it; `nil` for no room.
    func state(of room: RoomID) -> RelayRoomState?
    /// Which numbers were given up.
    func lost(in room: RoomID) -> [ClosedRange<UInt64>]

    /// Whether it answers nobody about a room who is not in it.
    var shutsOut: Bool { get }
    /// Whether an account is told of what happens in a room.
    func serves(_ account: AccountID, in room: RoomID) -> Bool
    /// The rooms whose members are asked which GroupInfo is like their own (H10), each once.
    mutating func takeRoomsToAsk() -> [RoomID]
    /// What it could not do, and should have; `nil` for nothing.
    var trouble: String? { get }

    /// Whether an account has Welcomes.
    func hasMail(of account: AccountID) -> Bool
    /// The Welcomes of an account, the oldest first. They stay until they are dropped.
    func mail(of account: AccountID) -> [ArrivedWelcome]
    /// An account has so many of its Welcomes on its disk.
    mutating func dropMail(of account: AccountID, count: Int)
    /// The rooms that an account has come into without a Welcome: by a seat, or by a commit that a relay which was put back was
    /// given back. They stay until they are dropped.
    func seats(of account: AccountID) -> [RoomID]
    /// An account has its seats on its disk.
    mutating func dropSeats(of account: AccountID)
    /// How many of an account's key packages are left.
    func left(of account: AccountID) -> Int
    /// An account has a newer list.
    mutating func publish(_ device: OwnDevice)
    /// An account is deleted by its owner: what it has in rooms stays, until others take it out.
    ///
    /// - Parameter closing: what its owner has signed of it.
    mutating func delete(_ device: OwnDevice, leaving closing: Signed<AccountClosing>)

    /// A time has passed.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970, by the relay's clock.
    ///   - steady: milliseconds of a clock that does not go back.
    mutating func tell(milliseconds: UInt64, steady: UInt64)
    /// A blob of an account's was uploaded whole for a room.
    mutating func upload(_ blob: BlobID, to room: RoomID, from device: OwnDevice)
    /// The relay as it is now, which may take its place later.
    func copy() -> Self
    /// What is older is no longer kept.
    mutating func forget(before number: UInt64, in room: RoomID)
    /// This copy takes the place of the relay as it is: another store, which numbers nothing until ``endTakingBack(offered:)``.
    func restored(as incarnation: UInt8, inPlaceOf present: Self) -> Self
    /// What nobody gave back is given up, up to what somebody has; new numbers begin above the highest that any member has shown.
    ///
    /// - Parameter offered: the numbers, of each room, that somebody has and the relay lacks, ascending.
    /// - Returns: whether nothing is waited for any more.
    mutating func endTakingBack(offered: [RoomID: [UInt64]]) -> Bool
}

/// A relay that is no more than its rules.
extension SimulatedRelay {
    package var shutsOut: Bool { false }
    package var trouble: String? { nil }

    package func copy() -> Self { self }

    package func serves(_: AccountID, in _: RoomID) -> Bool { true }

    package mutating func takeRoomsToAsk() -> [RoomID] { [] }

    package func hasMail(of account: AccountID) -> Bool { !mail(of: account).isEmpty }
}

/// A room as the relay knows it.
package struct RelayRoomState: Hashable, Sendable {
    /// The generation.
    package let generation: UInt64
    /// The epoch.
    package let epoch: UInt64
    /// Who has a leaf.
    package let leaves: Set<AccountID>
    /// How many SelfRemoves wait.
    package let leaving: Int
}
