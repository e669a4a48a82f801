import MildamIdentity

/// A text that an earlier version kept, since it could not be said: it is shown until its person drops it.
public struct UnsaidText: Codable, Equatable, Sendable {
    /// The id it was to be sent under.
    public let id: MessageID
    /// The room.
    public let room: RoomID
    /// When it was written, in milliseconds since 1970.
    public let at: UInt64
    /// What was to be said.
    public let text: String
    /// Why it could not be: a code.
    public let code: String
}
