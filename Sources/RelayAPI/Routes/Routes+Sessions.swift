import MildamIdentity
import MildamWire

/// Tokens, and the sessions that they are of.
extension Routes {
    /// Log a device in, or exchange a refresh token for its successor (RFC 6749).
    public static let token = Route(
        .post,
        "/v1/token",
        for: Anyone.self,
        body: .form("TokenRequest"),
        answer: .json(TokenAnswer.self),
        refusals: [
            .wrongCredentials, .secondFactorRequired, .wrongCode, .sessionEnded, .unsupportedGrant, .invalidProof,
            .nonceNeeded, .storageFull,
        ]
    )

    /// Give a refresh token back: its session ends (RFC 7009).
    public static let revocation = Route(
        .post,
        "/v1/revocation",
        for: Anyone.self,
        body: .form("RevocationRequest"),
        answer: .done(status: 200),
        refusals: [.storageFull]
    )

    /// The relay as an authorization server (RFC 8414).
    public static let metadata = Route(
        .get,
        "/.well-known/oauth-authorization-server",
        for: Anyone.self,
        answer: .json(ServerMetadata.self)
    )

    /// The account's sessions, one for each device that is logged in.
    public static let sessions = Route(
        .get,
        "/v1/sessions",
        answer: .json(SessionList.self)
    )

    /// Log out.
    public static let logOut = Route(
        .delete,
        "/v1/sessions/current",
        answer: .done(),
        refusals: [.storageFull]
    )

    /// End every session of the account but the caller's.
    public static let endOtherSessions = Route(
        .delete,
        "/v1/sessions/others",
        answer: .done(),
        refusals: [.storageFull]
    )

    /// End a session of the account, with its sockets and access tokens.
    public static let endSession = Route(
        .delete,
        "/v1/sessions/{session}",
        SessionID.self,
        answer: .done(),
        refusals: [.unknownSession, .storageFull]
    )
}
