import MildamIdentity

/// The relay's routes: each path is made and read in this one place.
public enum Route: Equatable, Sendable {
    /// `GET`: who the relay is.
    case relay
    /// `GET`: what all routes take and answer, as an OpenAPI 3.1 document.
    case document
    /// `GET`: how to derive the authenticator for a handle.
    case login(Handle)
    /// `POST`: register.
    case accounts
    /// `GET`: an account's bundle.
    case account(Handle)
    /// `PUT`: the account's next device list, in which the calling device has new keys.
    case devices(Handle)
    /// `GET`: list the account's sessions.
    case sessions
    /// `POST`: log in, or exchange a refresh token (RFC 6749).
    case token
    /// `POST`: give a refresh token back (RFC 7009).
    case revocation
    /// `GET`: what the relay says of itself as an authorization server (RFC 8414).
    case metadata
    /// `DELETE`: log out.
    case currentSession
    /// `DELETE`: end every session of the account but the caller's.
    case otherSessions
    /// `DELETE`: end a session of the account.
    case session(SessionID)
    /// `PUT`: another password.
    case password
    /// `POST`: delete the account.
    case deletion
    /// `GET`, `POST` and `PUT`: look at the second factor, take one, or confirm it.
    case secondFactor
    /// `POST`: remove the second factor.
    case secondFactorRemoval
    /// `GET`: what happened to the account.
    case accountLog
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
        case .document: "/v1/openapi.json"
        case .login(let handle): "/v1/login/\(handle)"
        case .accounts: "/v1/accounts"
        case .account(let handle): "/v1/accounts/\(handle)"
        case .devices(let handle): "/v1/accounts/\(handle)/devices"
        case .sessions: "/v1/sessions"
        case .token: "/v1/token"
        case .revocation: "/v1/revocation"
        case .metadata: "/.well-known/oauth-authorization-server"
        case .currentSession: "/v1/sessions/current"
        case .otherSessions: "/v1/sessions/others"
        case .session(let session): "/v1/sessions/\(session)"
        case .password: "/v1/account/password"
        case .deletion: "/v1/account/deletion"
        case .secondFactor: "/v1/account/second-factor"
        case .secondFactorRemoval: "/v1/account/second-factor/removal"
        case .accountLog: "/v1/account/log"
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
        guard path != Route.metadata.path else {
            self = .metadata
            return
        }
        let parts = PathParts(path.utf8.span)
        guard let parts else { throw Route.unknown }
        switch (parts.word(0), parts.word(1), parts.word(2), parts.word(3), parts.word(4)) {
        case (.relay, nil, nil, nil, nil): self = .relay
        case (.document, nil, nil, nil, nil): self = .document
        case (.login, .some, nil, nil, nil): self = .login(try Route.handle(parts[1]))
        case (.accounts, nil, nil, nil, nil): self = .accounts
        case (.accounts, .some, nil, nil, nil): self = .account(try Route.handle(parts[1]))
        case (.accounts, .some, .devices, nil, nil): self = .devices(try Route.handle(parts[1]))
        case (.sessions, nil, nil, nil, nil): self = .sessions
        case (.token, nil, nil, nil, nil): self = .token
        case (.revocation, nil, nil, nil, nil): self = .revocation
        case (.sessions, .current, nil, nil, nil): self = .currentSession
        case (.sessions, .others, nil, nil, nil): self = .otherSessions
        case (.sessions, .some, nil, nil, nil): self = .session(try Route.identifier(parts[1]))
        case (.account, .password, nil, nil, nil): self = .password
        case (.account, .deletion, nil, nil, nil): self = .deletion
        case (.account, .secondFactor, nil, nil, nil): self = .secondFactor
        case (.account, .secondFactor, .removal, nil, nil): self = .secondFactorRemoval
        case (.account, .log, nil, nil, nil): self = .accountLog
        case (.rooms, nil, nil, nil, nil): self = .rooms
        case (.rooms, .some, nil, nil, nil): self = .room(try Route.identifier(parts[1]))
        case (.rooms, .some, .messages, nil, nil): self = .messages(try Route.identifier(parts[1]))
        case (.rooms, .some, .blobs, .some, nil):
            self = .blob(try Route.identifier(parts[1]), try Route.identifier(parts[3]))
        case (.rooms, .some, .blobs, .some, .content):
            self = .blobContent(try Route.identifier(parts[1]), try Route.identifier(parts[3]))
        case (.mailbox, nil, nil, nil, nil): self = .mailbox
        case (.socket, nil, nil, nil, nil): self = .socket
        default: throw Route.unknown
        }
    }

    private static let unknown = APIError(.unknownRoute, "there is no such route")

    private static func handle(_ part: Span<UInt8>) throws(APIError) -> Handle {
        guard let text = try? UTF8Span(validating: part), let handle = try? Handle(String(copying: text)) else {
            throw APIError(.badRequest, "a handle is 3 to 32 of a-z, 0-9, '_', '.', '-'")
        }
        return handle
    }

    private static func identifier<Kind>(_ part: Span<UInt8>) throws(APIError) -> Identifier<Kind> {
        guard let identifier = try? Identifier<Kind>(ascii: part) else {
            throw APIError(.badRequest, "an id is 26 characters of lower-case base32")
        }
        return identifier
    }
}
