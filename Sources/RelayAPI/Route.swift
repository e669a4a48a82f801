import MildamIdentity

/// The relay's routes: each path is made and read in this one place.
public enum Route: Equatable, Sendable {
    /// `GET`: who the relay is.
    case relay
    /// `GET`: how to derive the authenticator for a handle.
    case login(Handle)
    /// `POST`: register.
    case accounts
    /// `GET`: an account's bundle.
    case account(Handle)
    /// `POST`: log in.
    case sessions
    /// `POST`: exchange a refresh token.
    case refresh
    /// `DELETE`: log out.
    case currentSession
    /// `GET` and `POST`: list or make rooms.
    case rooms
    /// `GET`: a room.
    case room(RoomID)
    /// `GET` and `POST`: read or send.
    case messages(RoomID)
    /// `GET` and `PUT`: a blob's state, or a piece of it.
    case blob(RoomID, BlobID)
    /// `GET`: a blob's bytes.
    case blobContent(RoomID, BlobID)
    /// `GET` and `DELETE`: the device's mailbox.
    case mailbox
    /// `GET` with an upgrade: live delivery.
    case socket

    /// The path.
    public var path: String {
        switch self {
        case .relay: "/v1/relay"
        case .login(let handle): "/v1/login/\(handle)"
        case .accounts: "/v1/accounts"
        case .account(let handle): "/v1/accounts/\(handle)"
        case .sessions: "/v1/sessions"
        case .refresh: "/v1/sessions/refresh"
        case .currentSession: "/v1/sessions/current"
        case .rooms: "/v1/rooms"
        case .room(let room): "/v1/rooms/\(room)"
        case .messages(let room): "/v1/rooms/\(room)/messages"
        case .blob(let room, let blob): "/v1/rooms/\(room)/blobs/\(blob)"
        case .blobContent(let room, let blob): "/v1/rooms/\(room)/blobs/\(blob)/content"
        case .mailbox: "/v1/mailbox"
        case .socket: "/v1/socket"
        }
    }

    /// Reads a path.
    ///
    /// - Throws: ``APIError`` with `unknown_route`, or with `bad_request` when the path is a route's but an id or handle in it is none.
    public init(path: String) throws(APIError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard (3...7).contains(parts.count), parts[0].isEmpty, parts[1] == "v1" else { throw Route.unknown }
        func part(_ index: Int) -> Substring? { index + 2 < parts.count ? parts[index + 2] : nil }
        switch (part(0), part(1), part(2), part(3), part(4)) {
        case ("relay", nil, nil, nil, nil): self = .relay
        case ("login", let handle?, nil, nil, nil): self = .login(try Route.handle(handle))
        case ("accounts", nil, nil, nil, nil): self = .accounts
        case ("accounts", let handle?, nil, nil, nil): self = .account(try Route.handle(handle))
        case ("sessions", nil, nil, nil, nil): self = .sessions
        case ("sessions", "refresh", nil, nil, nil): self = .refresh
        case ("sessions", "current", nil, nil, nil): self = .currentSession
        case ("rooms", nil, nil, nil, nil): self = .rooms
        case ("rooms", let room?, nil, nil, nil): self = .room(try Route.identifier(room))
        case ("rooms", let room?, "messages", nil, nil): self = .messages(try Route.identifier(room))
        case ("rooms", let room?, "blobs", let blob?, nil):
            self = .blob(try Route.identifier(room), try Route.identifier(blob))
        case ("rooms", let room?, "blobs", let blob?, "content"):
            self = .blobContent(try Route.identifier(room), try Route.identifier(blob))
        case ("mailbox", nil, nil, nil, nil): self = .mailbox
        case ("socket", nil, nil, nil, nil): self = .socket
        default: throw Route.unknown
        }
    }

    private static let unknown = APIError(.unknownRoute, "there is no such route")

    private static func handle(_ text: Substring) throws(APIError) -> Handle {
        guard let handle = try? Handle(text) else {
            throw APIError(.badRequest, "a handle is 3 to 32 of a-z, 0-9, '_', '.', '-'")
        }
        return handle
    }

    private static func identifier<Kind>(_ text: Substring) throws(APIError) -> Identifier<Kind> {
        guard let identifier = try? Identifier<Kind>(text) else {
            throw APIError(.badRequest, "an id is 26 characters of lower-case base32")
        }
        return identifier
    }
}
