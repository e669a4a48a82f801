extension Route {
    /// A route without what its path names.
    public enum Kind: String, CaseIterable, Sendable {
        /// Who the relay is.
        case relay = "/v1/relay"
        /// What all routes take and answer.
        case document = "/v1/openapi.json"
        /// How to derive the authenticator.
        case login = "/v1/login/{handle}"
        /// Registering.
        case accounts = "/v1/accounts"
        /// An account's bundle.
        case account = "/v1/accounts/{handle}"
        /// An account's next device list.
        case devices = "/v1/accounts/{handle}/devices"
        /// Listing sessions.
        case sessions = "/v1/sessions"
        /// Logging in, or exchanging a refresh token.
        case token = "/v1/token"
        /// Giving a refresh token back.
        case revocation = "/v1/revocation"
        /// The relay as an authorization server.
        case metadata = "/.well-known/oauth-authorization-server"
        /// Logging out.
        case currentSession = "/v1/sessions/current"
        /// Ending every other session.
        case otherSessions = "/v1/sessions/others"
        /// Ending a session.
        case session = "/v1/sessions/{session}"
        /// Another password.
        case password = "/v1/account/password"
        /// Deleting the account.
        case deletion = "/v1/account/deletion"
        /// The second factor.
        case secondFactor = "/v1/account/second-factor"
        /// Removing the second factor.
        case secondFactorRemoval = "/v1/account/second-factor/removal"
        /// What happened to the account.
        case accountLog = "/v1/account/log"
        /// Listing or making rooms.
        case rooms = "/v1/rooms"
        /// A room.
        case room = "/v1/rooms/{room}"
        /// Reading or sending.
        case messages = "/v1/rooms/{room}/messages"
        /// A blob's state, or a piece of it.
        case blob = "/v1/rooms/{room}/blobs/{blob}"
        /// A blob's bytes.
        case blobContent = "/v1/rooms/{room}/blobs/{blob}/content"
        /// The device's mailbox.
        case mailbox = "/v1/mailbox"
        /// Live delivery.
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
        case .devices: .devices
        case .sessions: .sessions
        case .token: .token
        case .revocation: .revocation
        case .metadata: .metadata
        case .currentSession: .currentSession
        case .otherSessions: .otherSessions
        case .session: .session
        case .password: .password
        case .deletion: .deletion
        case .secondFactor: .secondFactor
        case .secondFactorRemoval: .secondFactorRemoval
        case .accountLog: .accountLog
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
