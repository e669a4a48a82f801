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
    /// How many rooms this account is in.
    public var rooms: Int
    /// How many messages were not read.
    public var unread: Int
    /// Whether there may be more that were not read than were counted; missing where all were.
    public var hasMoreUnread: Bool?
    /// How many invitations wait for an answer; requests are counted apart.
    public var invitations: Int
    /// How many messages and changes wait to go out.
    public var waiting: Int
    /// How many rooms something is wrong with; missing for none.
    public var troubled: Int?
    /// Whether somebody else has acted with the keys of this device; missing where nobody has.
    public var areKeysUsedElsewhere: Bool?
    /// How far the profile is; missing where the client does not say.
    public var stage: ClientGreeting.Stage?
    /// How many requests of strangers wait; missing where the client does not say.
    public var requests: Int?
    /// Why the relay does not answer, with what goes with it.
    public var fault: ClientError?
    /// By how many seconds this machine's clock is ahead of the relay's, behind where it is negative; missing where that is a
    /// minute at most, or not known.
    public var skew: Int64?

    /// Makes a status.
    public init(
        handle: Handle? = nil,
        relay: String? = nil,
        isConnected: Bool,
        trouble: String? = nil,
        rooms: Int,
        unread: Int,
        invitations: Int,
        waiting: Int,
        troubled: Int? = nil,
        areKeysUsedElsewhere: Bool? = nil,
        stage: ClientGreeting.Stage? = nil,
        requests: Int? = nil,
        fault: ClientError? = nil,
        skew: Int64? = nil,
        hasMoreUnread: Bool? = nil
    ) {
        self.handle = handle
        self.relay = relay
        self.isConnected = isConnected
        self.trouble = trouble
        self.rooms = rooms
        self.unread = unread
        self.hasMoreUnread = hasMoreUnread
        self.invitations = invitations
        self.waiting = waiting
        self.troubled = troubled
        self.areKeysUsedElsewhere = areKeysUsedElsewhere
        self.stage = stage
        self.requests = requests
        self.fault = fault
        self.skew = skew
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(relay, "relay", 1...2_048)
        try ClientText.checkCode(trouble, "trouble")
        try fault?.check()
    }
}
