import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// The session with the relay.
struct SessionState: Codable, Sendable {
    /// What the relay gave.
    struct Tokens: Codable, Sendable {
        /// The session.
        var session: SessionID
        /// The access token.
        var access: String
        /// How many seconds the access token lives.
        var lifetime: Int64
        /// The refresh token's 32 bytes.
        var refresh: Data
    }

    /// The tokens.
    var tokens: Tokens
    /// When the access token runs out, in seconds since 1970 by this machine's clock.
    var expires: Int64
    /// Whether the tokens are bound to the session's key; those from before there was one are not.
    var isBound: Bool?
}

extension SessionState {
    /// The session that an answer begins or goes on with.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `relayAnswer`.
    init(_ answer: TokenAnswer, at now: Int64) throws(MessengerError) {
        guard let refresh = try? RefreshToken(text: answer.refreshToken), answer.tokenType.lowercased() == "dpop" else {
            throw .relayAnswer("tokens that this client does not know")
        }
        tokens = Tokens(
            session: refresh.session,
            access: answer.accessToken,
            lifetime: answer.expiresIn,
            refresh: Data(refresh.secret)
        )
        expires = now + min(max(answer.expiresIn, 0), 3600)
        isBound = true
    }
}
