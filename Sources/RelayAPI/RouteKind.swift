extension Route {
    /// A route without what its path names.
    public enum Kind: String, CaseIterable, Sendable {
        case relay = "/v1/relay"
        case document = "/v1/openapi.json"
        case login = "/v1/login/{handle}"
        case accounts = "/v1/accounts"
        case account = "/v1/accounts/{handle}"
        case sessions = "/v1/sessions"
        case refresh = "/v1/sessions/refresh"
        case currentSession = "/v1/sessions/current"
        case rooms = "/v1/rooms"
        case room = "/v1/rooms/{room}"
        case messages = "/v1/rooms/{room}/messages"
        case blob = "/v1/rooms/{room}/blobs/{blob}"
        case blobContent = "/v1/rooms/{room}/blobs/{blob}/content"
        case mailbox = "/v1/mailbox"
        case socket = "/v1/socket"

        /// The path with names in braces where a handle or an id stands, as OpenAPI writes it.
        public var template: String { rawValue }
    }

    /// Which route it is.
    public var kind: Kind {
        switch self {
        case .relay: .relay
        case .document: .document
        case .login: .login
        case .accounts: .accounts
        case .account: .account
        case .sessions: .sessions
        case .refresh: .refresh
        case .currentSession: .currentSession
        case .rooms: .rooms
        case .room: .room
        case .messages: .messages
        case .blob: .blob
        case .blobContent: .blobContent
        case .mailbox: .mailbox
        case .socket: .socket
        }
    }
}
