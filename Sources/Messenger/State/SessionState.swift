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
    /// - Parameter now: when it was asked for, in seconds since 1970.
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
        expires = now + min(max(answer.expiresIn, 0), SessionState.longestLifetime)
        isBound = true
    }

    private static let longestLifetime: Int64 = 3600

    /// How many seconds the access token lives, as far as that is believed.
    var lifetime: Int64 { min(max(tokens.lifetime, 0), SessionState.longestLifetime) }

    /// How long to wait until a socket that stands on this access token is renewed: until between a third and a quarter of
    /// the token's life is left, so that not all come at once, and a second at least.
    ///
    /// - Parameter now: milliseconds since 1970.
    func untilRenewal(at now: Int64) -> Duration {
        let leeway = Double(lifetime) * Double.random(in: 1 / 4...1 / 3)
        return max(.milliseconds(expires * 1000 - now) - .seconds(leeway), .seconds(1))
    }
}

extension SessionState {
    /// What fresh tokens are asked for with.
    var refreshToken: RefreshToken { RefreshToken(session: tokens.session, secret: Array(tokens.refresh)) }
}
