/// How much disorder of messages is put up with (RFC 9420, section 15.3).
public struct RatchetLimits: Hashable, Sendable {
    /// How many generations a sender's ratchet is moved forward for one message.
    public let forward: UInt32
    /// How many keys of messages that have not come are kept for each sender and kind.
    public let outOfOrder: Int

    /// 1,000 and 256, unless named otherwise.
    public init(forward: UInt32 = 1000, outOfOrder: Int = 256) {
        self.forward = forward
        self.outOfOrder = min(max(0, outOfOrder), Int(UInt16.max))
    }
}
