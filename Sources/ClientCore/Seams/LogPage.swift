import MildamIdentity

/// A part of a room's log, and what the relay says of the whole.
public struct LogPage: Hashable, Sendable {
    /// The size of an incarnation, in bytes.
    public static let incarnationSize = 16
    /// The highest number that a message has: what a relay says of higher ones is passed over.
    public static let highestNumber: UInt64 = (1 << 40) - 1

    /// The room.
    public let room: RoomID
    /// The messages, ascending.
    public let messages: [NumberedMessage]
    /// The lowest number that the relay still has.
    public let first: UInt64
    /// The highest number that it has given.
    public let last: UInt64
    /// The epoch that the relay takes messages of.
    public let epoch: UInt64
    /// The store's name, 16 bytes; another one after it was put back (H41).
    public let incarnation: [UInt8]
    /// Numbers that were lost when the relay was put back, and that nobody gave back.
    public let lost: [ClosedRange<UInt64>]

    /// A page.
    public init(
        room: RoomID,
        messages: [NumberedMessage],
        first: UInt64,
        last: UInt64,
        epoch: UInt64,
        incarnation: [UInt8],
        lost: [ClosedRange<UInt64>] = []
    ) {
        self.room = room
        self.messages = messages
        self.first = first
        self.last = last
        self.epoch = epoch
        self.incarnation = incarnation
        self.lost = lost
    }

    /// Whether its numbers can be those of a log.
    var isPossible: Bool {
        let numbers = [first, last] + messages.map(\.number) + lost.map(\.upperBound)
        return numbers.allSatisfy { $0 <= LogPage.highestNumber }
    }
}
