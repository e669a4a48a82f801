/// Why the token endpoint gives no tokens, as OAuth says it: `{"error": …, "error_description": …}` (RFC 6749, section
/// 5.2), with the relay's own code beside it.
public struct TokenError: Codable, Sendable, Equatable {
    /// OAuth's code.
    public var error: String
    /// What a person reads. Never holds a token.
    public var errorDescription: String
    /// The relay's code.
    public var code: APIErrorCode

    private enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
        case code
    }

    /// The error of a request.
    ///
    /// - Parameter isRefresh: whether tokens were to be refreshed: credentials are then the device's alone, and what is
    ///   wrong with them is the client's, not the session's.
    public init(_ error: APIError, isRefresh: Bool) {
        code = error.code
        errorDescription = error.message
        self.error =
            switch error.code {
            case .unsupportedGrant, .invalidProof, .nonceNeeded: error.code.rawValue
            case .wrongCredentials where isRefresh: "invalid_client"
            case .wrongCredentials, .sessionEnded: "invalid_grant"
            case .badRequest, .tooLarge, .methodNotAllowed: "invalid_request"
            default: error.code.status < 500 ? "access_denied" : "temporarily_unavailable"
            }
    }

    /// The error as other routes would answer it.
    public var apiError: APIError { APIError(code, errorDescription) }
}
