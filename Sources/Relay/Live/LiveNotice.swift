import MildamIdentity
import MildamRelayAPI

/// What a commit means for those who listen; made in its transaction, told only after it is on the disk.
enum LiveNotice: Sendable {
    /// A room has a message more.
    case message(RoomID, RoomMessage)
    /// Accounts are no longer members of a room.
    case removed(RoomID, [AccountID])
    /// A device's mailbox has an item more; the number is the next one's.
    case mailbox(MailboxAddress, next: UInt64)
    /// A room goes on in another of its groups, or these accounts have come into it without a Welcome: they hear of that.
    case generation(RoomID, [AccountID])
    /// A room's present epoch has another GroupInfo.
    case groupInfo(RoomID)
    /// Blobs that nobody can ask for any more; their files can go.
    case blobsDropped(RoomID, [BlobID])
    /// A session is over.
    case sessionEnded(SessionID, AccountID)
    /// A session's device has new keys: its sockets are closed, and itself goes on.
    case keysRenewed(SessionID, AccountID)
}
