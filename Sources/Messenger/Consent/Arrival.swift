import MildamIdentity

/// What is known of something in the mailbox before anything in it is verified: who claims to have sent it, and for which
/// room.
struct Arrival: Sendable {
    /// The account that it claims to be from.
    var account: AccountID
    /// The handle that it claims to be from.
    var handle: Handle
    /// The room it is for.
    var room: RoomID
    /// Its size, in bytes.
    var size: Int
}
