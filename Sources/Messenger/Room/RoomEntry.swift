import FoundationEssentials
import MildamGroupKey
import MildamIdentity

/// What came of one message of a room on this device.
public struct RoomEntry: Codable, Sendable {
    /// Its number in the room.
    public var number: UInt64
    /// The account that sent it.
    public var account: AccountID
    /// Its handle, if the account was a member.
    public var sender: Handle?
    /// When it was written, by the sender's clock: milliseconds since 1970. For a refused one, when the relay stored it.
    public var written: Int64
    /// How many messages of the same device before this one never came.
    public var missingBefore: UInt64
    /// What it says, or why it was refused.
    public var outcome: Outcome
    /// The handle of the account that this message puts out.
    public var removed: Handle?
    /// The running hash up to and with this message, 32 bytes.
    var hash: Data
    /// The device list that its sender speaks under from this message on, where that is a newer one.
    var newList: UInt64?

    /// Whether it is the first message of its sender under a newer device list.
    public var hasNewKeys: Bool { newList != nil }

    /// What it says, or why it was refused.
    public enum Outcome: Codable, Sendable, Equatable {
        /// Authentic, and in its place.
        case accepted(event: RoomContent.Event)
        /// Not believed.
        case refused(reason: Refusal)
    }

    /// Why a message is not believed.
    public enum Refusal: String, Codable, Sendable {
        /// This device has no key of its generation.
        case noKey = "no key of its generation"
        /// Cut, altered, or sealed under another key.
        case damaged = "damaged or forged"
        /// The signature is not the sending device's.
        case badSignature = "not signed by the device it is from"
        /// Its sender's account is deleted, so that nothing tells whether it is theirs.
        case senderGone = "its sender's account is deleted: nothing tells whether it is theirs"
        /// The room knows its sender by another identity key than the one that this profile has seen.
        case toldUnderAnotherKey = "its sender was told under another key than the one seen"
        /// Its sender is not a member.
        case notAMember = "its sender is not a member"
        /// The device has sent this count before.
        case repeated = "sent before"
        /// The sender saw other messages before this one than this device.
        case differentHistory = "its sender was shown another history of this room"
        /// A change of members that does not fit the room.
        case misplaced = "a change of members that does not fit"
        /// It brings in somebody under a handle by which this profile knows another identity key.
        case otherIdentity = "an invitation of another identity than the one pinned for that handle"
        /// Made by a newer version.
        case notUnderstood = "made by a newer version"
    }
}
