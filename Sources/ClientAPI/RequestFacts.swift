import MildamIdentity

/// A request whose sender was looked up and verified.
public struct RequestFacts: Codable, Equatable, Sendable {
    /// Its number.
    public var number: Int64
    /// Who it is from.
    public var sender: Handle
    /// The fingerprint of their identity key.
    public var fingerprint: String
    /// How far the key is believed.
    public var state: PinState
    /// The room.
    public var room: RoomID
    /// What it is called, as its sender says; missing where that is not told yet.
    public var name: String?
    /// How many are in it, as its sender says.
    public var members: Int
    /// When it came, in milliseconds since 1970.
    public var received: Int64

    /// Makes what is known of a request.
    public init(
        number: Int64,
        sender: Handle,
        fingerprint: String,
        state: PinState,
        room: RoomID,
        name: String? = nil,
        members: Int,
        received: Int64
    ) {
        self.number = number
        self.sender = sender
        self.fingerprint = fingerprint
        self.state = state
        self.room = room
        self.name = name
        self.members = members
        self.received = received
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(fingerprint, "fingerprint", 1...128)
        try ClientText.checkName(name)
        guard members >= 0 else { throw .outOfRange("members") }
    }
}
