import MildamCrypto
import MildamKeychain
import MildamWire

/// A successful answer of a token endpoint (RFC 6749, section 5.1), and how it may differ from what the standard says.
///
/// Strict, but for what servers in the world really send, and what would otherwise cost a rotated refresh token:
/// - `expires_in` may be a string of digits or have a fraction, which is dropped; a negative number is taken for 0 and an
///   absurdly large one for ``maximumLifetime``. A token that has run out when it comes is not used, but the refresh token
///   beside it is.
/// - `expires_in` may be absent: then how long the token lives is not known, and it is used until it is refused.
/// - `scope` may be an array of texts, or empty.
/// - `token_type` is compared without regard to case, as the standard says.
///
/// Everything else is an error: a missing or empty `access_token`, a `token_type` that is missing or not known, a value of
/// another type, a member that is there twice.
public struct TokenResponse: Sendable {
    /// The most bytes of an answer: 256 KiB.
    public static let maximumSize = 256 << 10
    /// The most bytes of a token: 16,384.
    public static let maximumTokenSize = 16_384
    /// The most bytes of a scope: 8,192.
    public static let maximumScopeSize = 8192
    /// The longest time that a token is taken to live, in seconds: 366 days.
    public static let maximumLifetime: Int64 = 366 * 86_400

    /// What opens doors for a short time.
    public let accessToken: SecretValue
    /// How it is shown.
    public let scheme: TokenScheme
    /// For how many seconds from the request on, from 0 to `maximumLifetime`; `nil` when the server did not say.
    public let lifetime: Int64?
    /// What gives the next one; `nil` when the one at hand stays, or there is none.
    public let refreshToken: SecretValue?
    /// What was granted, where that is not what was asked for.
    public let scope: String?

    /// Reads an answer.
    ///
    /// - Throws: `AnswerDefect`.
    public init(json: Span<UInt8>) throws(AnswerDefect) {
        let fields = try AnswerFields(json, limit: TokenResponse.maximumSize)
        guard let token = try fields.secret("access_token", limit: TokenResponse.maximumTokenSize) else {
            throw .missing(field: "access_token")
        }
        guard let type = try fields.text("token_type", limit: 64) else { throw .missing(field: "token_type") }
        guard let scheme = TokenScheme(tokenType: type) else { throw .unknownTokenType }
        accessToken = token
        self.scheme = scheme
        lifetime = try fields.seconds("expires_in", ceiling: TokenResponse.maximumLifetime)
        refreshToken = try fields.secret("refresh_token", limit: TokenResponse.maximumTokenSize)
        scope = try TokenResponse.scope(fields)
    }

    /// Tokens that came another way.
    public init(
        accessToken: SecretValue,
        scheme: TokenScheme,
        lifetime: Int64?,
        refreshToken: SecretValue?,
        scope: String? = nil
    ) {
        self.accessToken = accessToken
        self.scheme = scheme
        self.lifetime = lifetime.map { min(max($0, 0), TokenResponse.maximumLifetime) }
        self.refreshToken = refreshToken
        self.scope = scope
    }

    private static func scope(_ fields: borrowing AnswerFields) throws(AnswerDefect) -> String? {
        let scope: String?
        do throws(AnswerDefect) {
            scope = try fields.text("scope", limit: maximumScopeSize)
        } catch {
            guard let parts = try fields.texts("scope", limit: maximumScopeSize) else { throw error }
            scope = parts.joined(separator: " ")
        }
        guard let scope, !scope.isEmpty else { return nil }
        guard TokenSet.isScope(scope) else { throw .invalid(field: "scope") }
        return scope
    }
}

/// How an access token is shown (RFC 6750; RFC 9449, section 7.1).
public enum TokenScheme: UInt8, Sendable, CaseIterable {
    /// Whoever has it may use it.
    case bearer = 1
    /// It is of use only with a proof under the key that it is bound to.
    case dpop = 2

    /// Reads a `token_type`, which has no case (RFC 6749, section 5.1).
    init?(tokenType: String) {
        switch tokenType.lowercased() {
        case "bearer": self = .bearer
        case "dpop": self = .dpop
        default: return nil
        }
    }

    /// "Bearer" or "DPoP", as it stands in the `Authorization` field.
    public var name: String { self == .bearer ? "Bearer" : "DPoP" }
}
