import MildamIdentity

/// How a profile's client is.
public struct ClientStatus: Codable, Equatable, Sendable {
    /// The account; missing where there is none.
    public var handle: Handle?
    /// The relay's address.
    public var relay: String?
    /// Whether the relay answers.
    public var isConnected: Bool
    /// Why it does not: a code.
    public var trouble: String?
    /// How many rooms there are.
    public var rooms: Int
    /// How many messages were not read.
    public var unread: Int
    /// How many invitations and requests wait for an answer.
    public var invitations: Int
    /// How many messages and changes wait to go out.
    public var waiting: Int

    /// Makes a status.
    public init(
        handle: Handle? = nil,
        relay: String? = nil,
        isConnected: Bool,
        trouble: String? = nil,
        rooms: Int,
        unread: Int,
        invitations: Int,
        waiting: Int
    ) {
        self.handle = handle
        self.relay = relay
        self.isConnected = isConnected
        self.trouble = trouble
        self.rooms = rooms
        self.unread = unread
        self.invitations = invitations
        self.waiting = waiting
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(relay, "relay", 1...2_048)
        try ClientText.checkCode(trouble, "trouble")
    }
}
