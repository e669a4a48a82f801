/// What a part is for (draft-ietf-mimi-content-08, "Message Bodies"). Any number from 0 to 255 can be read; one without a
/// name counts as ``render``.
public struct Disposition: RawRepresentable, Hashable, Sendable {
    /// The number in IANA's registry.
    public let rawValue: UInt8

    /// The disposition of this number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nothing is said of it.
    public static let unspecified = Disposition(rawValue: 0)
    /// It is shown.
    public static let render = Disposition(rawValue: 1)
    /// It is a reaction to another message.
    public static let reaction = Disposition(rawValue: 2)
    /// It tells of a person.
    public static let profile = Disposition(rawValue: 3)
    /// It is shown within the conversation.
    public static let inline = Disposition(rawValue: 4)
    /// It is a small picture of its sender.
    public static let icon = Disposition(rawValue: 5)
    /// It is to be fetched when somebody wants it.
    public static let attachment = Disposition(rawValue: 6)
    /// It leads to a session of several media.
    public static let session = Disposition(rawValue: 7)
    /// It shows a little of another part.
    public static let preview = Disposition(rawValue: 8)

    /// Whether it is shown in the conversation.
    var isShown: Bool { ![.reaction, .profile, .icon, .attachment, .session, .preview].contains(self) }
}
