import MildamIdentity

/// A stranger wants one in a room. Nothing of it is verified.
public struct WaitingRequest: Codable, Equatable, Sendable {
    /// Its number.
    public var number: Int64
    /// The handle that it claims to be from; missing while the relay was not asked.
    public var claimed: Handle?
    /// The account that it claims to be from.
    public var account: AccountID
    /// The room.
    public var room: RoomID
    /// When it came, in milliseconds since 1970.
    public var received: Int64
    /// How many bytes wait.
    public var size: Int

    /// Makes a row.
    public init(
        number: Int64,
        claimed: Handle? = nil,
        account: AccountID,
        room: RoomID,
        received: Int64,
        size: Int
    ) {
        self.number = number
        self.claimed = claimed
        self.account = account
        self.room = room
        self.received = received
        self.size = size
    }
}
