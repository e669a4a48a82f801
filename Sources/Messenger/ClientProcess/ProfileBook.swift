import MildamClientStore
import MildamCrypto
import MildamIdentity

/// What a profile's client knows beside its rooms: whose profile it is, what accounts are called, and how far was read.
public protocol ProfileBook: ContactService {
    /// Whose profile it is; `nil` where it has no account.
    func owner() async -> ProfileOwner?

    /// What an account is called, as far as that was seen; the relay is not asked.
    func handle(of account: AccountID) async -> Handle?

    /// The identity key of each account that was seen or compared; the relay is not asked.
    func pins() async -> [AccountID: Curve25519.Signing.PublicKey]

    /// Up to which number a room was read; 0 for nothing of it.
    func readThrough(_ room: RoomID) async -> UInt64

    /// Notes that everything of a room up to this number was read; what was read before stays read.
    ///
    /// - Throws: `not-stored`.
    func markRead(_ room: RoomID, through number: UInt64) async throws(RoomFault)

    /// Forgets how far a room was read, which is not here any more.
    ///
    /// - Throws: `not-stored`.
    func forget(_ room: RoomID) async throws(RoomFault)

    /// Examines the profile, its way to the relay, and its rooms; nothing is changed, but that the session's tokens are renewed.
    func findings() async -> [Finding]

    /// The rooms of the first kind, by id.
    ///
    /// - Throws: `not-readable`.
    func olderRooms() async throws(RoomFault) -> [OlderLedger]

    /// What a room of the first kind has under these numbers, ascending.
    ///
    /// - Throws: `not-readable`.
    func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) async throws(RoomFault) -> [OlderRow]

    /// The texts that an earlier version kept, since they could not be said, and that were not dropped.
    func unsaid() async -> [UnsaidText]

    /// Forgets one of them.
    ///
    /// - Returns: whether it was there.
    /// - Throws: `not-stored`.
    func drop(unsaid id: MessageID) async throws(RoomFault) -> Bool

    /// By how many seconds this machine's clock is ahead of the relay's, behind where it is negative; `nil` where that is a
    /// minute at most, or not known.
    func clockSkew() async -> Int64?
}

extension ProfileBook {
    /// Not known.
    public func clockSkew() async -> Int64? { nil }

    /// None.
    public func olderRooms() async throws(RoomFault) -> [OlderLedger] { [] }

    /// Nothing.
    public func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) async throws(RoomFault) -> [OlderRow] {
        []
    }
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
