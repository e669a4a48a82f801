import MildamIdentity

/// What a profile's client knows beside its rooms: whose profile it is, what accounts are called, and how far was read.
public protocol ProfileBook: Sendable {
    /// Whose profile it is; `nil` where it has no account.
    func owner() async -> ProfileOwner?

    /// What an account is called, as far as that was seen; the relay is not asked.
    func handle(of account: AccountID) async -> Handle?

    /// Up to which number a room was read; 0 for nothing of it.
    func readThrough(_ room: RoomID) async -> UInt64

    /// Notes that everything of a room up to this number was read; what was read before stays read.
    ///
    /// - Throws: `not-stored`.
    func markRead(_ room: RoomID, through number: UInt64) async throws(RoomFault)

}

/// Whose profile it is.
public struct ProfileOwner: Sendable, Equatable {
    /// The account.
    public let account: AccountID
    /// What it is called.
    public let handle: Handle
    /// The relay's address.
    public let relay: String
    /// Whether there is a session with the relay.
    public let isLoggedIn: Bool

    /// An owner.
    public init(account: AccountID, handle: Handle, relay: String, isLoggedIn: Bool) {
        self.account = account
        self.handle = handle
        self.relay = relay
        self.isLoggedIn = isLoggedIn
    }
}
