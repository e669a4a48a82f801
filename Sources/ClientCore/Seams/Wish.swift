import MildamContent
import MildamIdentity
import MildamRoomRules

/// What somebody wants of a room: what is to be true afterwards, and not what is to be sent.
public enum Wish: Hashable, Sendable {
    /// To say something.
    case say(NestedPart, inReplyTo: ContentID?, blobs: [BlobID])
    /// To be in the room that one was invited to.
    case accept
    /// To be out of it; before one has accepted, not to come in.
    case leave
    /// An account to be in it: one with this identity.
    case invite(AccountID, RoomIdentity)
    /// An account to be out of it.
    case remove(AccountID)
    /// An account to have a role.
    case role(AccountID, RoomRole)
    /// Members to be allowed this much.
    case policy(RoomPolicyBits)
    /// Messages to go after so many seconds; 0 for never.
    case timer(UInt32)
    /// The room to be called this.
    case rename(RoomInfo)
    /// New keys of one's own.
    case renewKeys
    /// The room to be in a generation above this one: a fresh group, where nothing else helps (H9).
    case renewRoom(above: UInt64)
    /// What is due by itself.
    case duty(Duty)

    /// What a client does without being asked.
    public enum Duty: Hashable, Sendable {
        /// Takes those out who leave (H6).
        case removingLeavers
        /// Takes leaves out that are no longer on their account's list (H8).
        case removingRevoked
        /// Takes out what accounts have whose owners deleted them (H29).
        case removingClosed
        /// Puts its new keys or record into its leaf (H17).
        case newLeaf
        /// Gives itself new keys (H22).
        case path
        /// Says again what the room is called, for who came in from outside (H27).
        case tellingTitle
    }
}
