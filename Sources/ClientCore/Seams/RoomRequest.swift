import MildamIdentity

/// Something asked of the relay, as data: the core does not wait for the answer.
public enum RoomRequest: Hashable, Sendable {
    /// What the log has after a number.
    case page(RoomID, after: UInt64)
    /// To make a room of this group: a GroupInfo of epoch 0 as an MLSMessage, and its tree.
    case create(RoomID, groupInfo: [UInt8], tree: [UInt8])
    /// To number a message.
    case send(RoomID, OutgoingMessage)
    /// The present group, for who comes in from outside.
    case group(RoomID)
    /// Key packages of all devices of an account, one each; the same claim gets the same ones.
    case claim(MessageID, AccountID, for: RoomID)
    /// To keep these key packages, as MLSMessages; the last one is of last resort.
    case keyPackages([[UInt8]])
    /// To keep another GroupInfo of the present epoch, as an MLSMessage (H10).
    case groupInfo(RoomID, generation: UInt64, epoch: UInt64, [UInt8])
    /// To take back messages under the numbers that they had (H41).
    case refill(RoomID, [NumberedMessage])
}

/// Names a request; each is answered once, if only by ``RelayReply/unreachable``.
public struct RequestID: Hashable, Sendable, Comparable {
    /// Grows by one with each.
    public let rawValue: UInt64

    /// The request of this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the first was asked earlier.
    public static func < (left: RequestID, right: RequestID) -> Bool { left.rawValue < right.rawValue }
}
