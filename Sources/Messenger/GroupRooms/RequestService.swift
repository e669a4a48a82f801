import MildamIdentity

/// What strangers ask of a person, and what the person decides.
///
/// A request is named by its number, by the handle that it claims to be from, or by its room's id, where one request only has
/// those.
public protocol RequestService: Sendable {
    /// The requests that wait, the oldest first, and who is blocked.
    ///
    /// - Parameter fetching: whether to take the mail first, and to ask the relay what those are called who ask.
    /// - Throws: a ``RoomFault``.
    func requests(fetching: Bool) async throws(RoomFault) -> (requests: [PendingRequest], blocked: [BlockedHandle])

    /// Looks up who sent a request, and opens it. Nothing is pinned.
    ///
    /// - Throws: `unknown-request`, `ambiguous-request`; `request-not-believed`, and it was dropped; a ``RoomFault``.
    func request(_ text: String) async throws(RoomFault) -> OpenedRequest

    /// Makes a request an invitation, of which the sender is somebody known from then on.
    ///
    /// - Parameter joining: whether to come into the room at once.
    /// - Throws: as ``request(_:)``.
    func acceptRequest(_ text: String, joining: Bool) async throws(RoomFault) -> AcceptedRequest

    /// Drops a request, or all of them where none is named. Nobody hears of it.
    ///
    /// - Returns: how many were dropped.
    /// - Throws: as ``request(_:)``.
    func declineRequest(_ text: String?) async throws(RoomFault) -> Int

    /// Drops the requests of an account, and those to come. A contact can be named by its handle.
    ///
    /// - Throws: as ``request(_:)``.
    func block(_ text: String) async throws(RoomFault) -> BlockedHandle

    /// Lets the blocked accounts of a handle ask again.
    ///
    /// - Throws: `unknown-request` where none is blocked.
    func unblock(_ handle: Handle) async throws(RoomFault) -> BlockedHandle

    /// How many requests wait; the relay is not asked.
    func waitingRequests() async -> Int
}

/// A request that waits. Nothing of it is verified.
public struct PendingRequest: Sendable, Equatable {
    /// Its number.
    public let number: Int64
    /// The handle that it claims to be from; `nil` while the relay was not asked.
    public let claimed: Handle?
    /// The account that it claims to be from.
    public let account: AccountID
    /// The room.
    public let room: RoomID
    /// When this device took it from the mailbox, in milliseconds since 1970.
    public let received: Int64
    /// How many bytes wait.
    public let size: Int
}

/// A request whose sender was looked up and verified.
public struct OpenedRequest: Sendable {
    /// Its number.
    public let number: Int64
    /// Who it is from.
    public let sender: Handle
    /// What to compare with them.
    public let fingerprint: String
    /// How the relay's records are believed.
    public let state: PinState
    /// The room.
    public let room: RoomID
    /// What the room is called, as its sender says; `nil` where that is not told yet.
    public let name: String?
    /// How many members it has, as its sender says; by the relay's word where there is no Welcome.
    public let members: Int
    /// When this device took it from the mailbox, in milliseconds since 1970.
    public let received: Int64
}

/// A request that a person has accepted.
public struct AcceptedRequest: Sendable {
    /// The room.
    public let room: RoomID
    /// What it is called; `nil` where that is not told yet.
    public let name: String?
    /// Who it was from.
    public let sender: Handle?
    /// What was wished, where it is awaited: to be in the room. `nil` where it is so, or was not wanted.
    public let wish: MessageID?
}
