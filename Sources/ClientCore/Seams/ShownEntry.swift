import MildamIdentity
import MildamRoomRules

/// Something of a room that is shown, under the number of the message that it came with.
public struct ShownEntry: Hashable, Sendable {
    /// What is shown.
    public enum Kind: Hashable, Sendable {
        /// What somebody said: an encoded `MimiContent`.
        case content([UInt8])
        /// Accounts came in and went.
        case members(joined: Set<AccountID>, left: Set<AccountID>)
        /// Roles, policy, timer or what the room is called are others.
        case settings
        /// A device came back from outside, and why, where it says so (H13).
        case cameBack(RepairReason?)
        /// The room is in its next generation.
        case renewed
        /// A device has new keys (H17).
        case newKeys
        /// An account is leaving.
        case leaving
        /// It could not be read.
        case unreadable(Cause)
        /// Everything from this number up to the entry's is missing.
        case gap(from: UInt64, Cause)
    }

    /// The message's number.
    public let number: UInt64
    /// The message's id; `nil` for a gap, and for what changed while this device was not in the room.
    public let id: MessageID?
    /// Whose it is; `nil` where there is no message.
    public let account: AccountID?
    /// From which device; `nil` where there is no message.
    public let device: DeviceID?
    /// When the relay took it, in milliseconds since 1970; 0 for a gap, and of what else has no message when this device learned it.
    public let stored: UInt64
    /// What is shown.
    public let kind: Kind

    /// An entry for a message.
    init(_ kind: Kind, for message: NumberedMessage) {
        number = message.number
        id = message.id
        account = message.account
        device = message.device
        stored = message.stored
        self.kind = kind
    }

    /// What a device learns by coming in at a number.
    init(_ kind: Kind, at number: UInt64, stored: UInt64) {
        self.number = number
        id = nil
        account = nil
        device = nil
        self.stored = stored
        self.kind = kind
    }

    /// A gap.
    init(missing numbers: ClosedRange<UInt64>, _ cause: Cause) {
        number = numbers.upperBound
        id = nil
        account = nil
        device = nil
        stored = 0
        kind = .gap(from: numbers.lowerBound, cause)
    }
}
