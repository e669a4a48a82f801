/// The tokens of a session (RFC 6749, section 5.1): the answer to logging in and refreshing, and to registering.
public struct TokenAnswer: Codable, Sendable {
    /// The access token, for the `Authorization` field.
    public var accessToken: String
    /// `DPoP` (RFC 9449, section 5): without the key the token is worth nothing. `Bearer` for a session that no key was
    /// shown for.
    public var tokenType: String
    /// How many seconds the access token lives.
    public var expiresIn: Int64
    /// The refresh token.
    public var refreshToken: String

    /// Makes an answer.
    public init(accessToken: String, isBound: Bool, expiresIn: Int64, refreshToken: RefreshToken) {
        self.accessToken = accessToken
        tokenType = isBound ? "DPoP" : "Bearer"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken.text
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
    }
}
