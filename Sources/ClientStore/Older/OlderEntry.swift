import FoundationEssentials
import MildamGroupKey
import MildamIdentity

/// A message of a room of the first kind, as it was stored.
public struct OlderEntry: Decodable, Sendable {
    /// What it says, or why it was refused.
    public enum Outcome: Decodable, Sendable {
        /// Authentic, and in its place.
        case accepted(event: RoomContent.Event)
        /// Not believed, in the words of that time.
        case refused(reason: String)
    }

    /// Its number in the room.
    public let number: UInt64
    /// The account that sent it.
    public let account: AccountID
    /// Its handle, if the account was a member.
    public let sender: Handle?
    /// When it was written, by the sender's clock: milliseconds since 1970.
    public let written: Int64
    /// How many messages of the same device before this one never came.
    public let missingBefore: UInt64
    /// What it says, or why it was refused.
    public let outcome: Outcome
    /// The handle of the account that this message put out.
    public let removed: Handle?
    private let hash: Data
    private let newList: UInt64?

    /// The running hash up to and with this message, 32 bytes.
    public var runningHash: [UInt8] { Array(hash) }

    /// Whether it is the first message of its sender under newer device keys.
    public var hasNewKeys: Bool { newList != nil }
}

/// What lies at the place of a message.
public enum OlderRow: Sendable {
    /// The message.
    case entry(OlderEntry)
    /// The number of one that is missing, or does not open.
    case damaged(number: UInt64)

    /// The message's number.
    public var number: UInt64 {
        switch self {
        case .entry(let entry): entry.number
        case .damaged(let number): number
        }
    }

    /// The message; `nil` where it is missing.
    public var entry: OlderEntry? {
        guard case .entry(let entry) = self else { return nil }
        return entry
    }
}

/// Something that waited to be said in a room of the first kind.
public struct OlderUnsent: Decodable, Sendable {
    /// The room.
    public let room: RoomID
    /// The id under which it was to be sent.
    public let message: MessageID
    /// When it was written, in milliseconds since 1970.
    public let written: Int64
    /// What it was to say.
    public let event: RoomContent.Event
}
