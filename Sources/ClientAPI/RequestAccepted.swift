import MildamIdentity

/// A request that was accepted.
public struct RequestAccepted: Codable, Equatable, Sendable {
    /// The room.
    public var room: RoomID
    /// What it is called; missing where that is not told yet.
    public var name: String?
    /// Who it was from.
    public var sender: Handle?
    /// Who is in the room, where that is known already.
    public var members: [Handle]
    /// What to wait for until one is in the room; missing where there is nothing to wait for.
    public var wish: MessageID?

    /// Makes what came of a request.
    public init(
        room: RoomID,
        name: String? = nil,
        sender: Handle? = nil,
        members: [Handle] = [],
        wish: MessageID? = nil
    ) {
        self.room = room
        self.name = name
        self.sender = sender
        self.members = members
        self.wish = wish
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        guard members.count <= LineLimits.members else { throw .outOfRange("members") }
    }
}
