import MildamIdentity

/// A Welcome out of the mailbox.
public struct ArrivedWelcome: Hashable, Sendable {
    /// The room that the relay says it is for.
    public let room: RoomID
    /// The generation that the relay says it is for.
    public let generation: UInt64
    /// The number of the commit that it belongs to.
    public let number: UInt64
    /// The Welcome, as an MLSMessage.
    public let welcome: [UInt8]
    /// The tree at its epoch.
    public let tree: [UInt8]
    /// Whether the person knows who sent it: a stranger's stays bytes until it is accepted (H7).
    public let isOfKnownSender: Bool

    /// A Welcome.
    public init(
        room: RoomID,
        generation: UInt64,
        number: UInt64,
        welcome: [UInt8],
        tree: [UInt8],
        isOfKnownSender: Bool
    ) {
        self.room = room
        self.generation = generation
        self.number = number
        self.welcome = welcome
        self.tree = tree
        self.isOfKnownSender = isOfKnownSender
    }
}
