import MildamCrypto
import MildamKeychain

/// The tokens of one sign-in.
public struct TokenSet: Sendable, CustomStringConvertible, CustomReflectable {
    /// What opens doors for a short time.
    public let accessToken: SecretValue
    /// How it is shown.
    public let scheme: TokenScheme
    /// The first moment at which it is refused, by the server's clock, in milliseconds since 1970; `nil` when the server
    /// did not say.
    public let expires: Int64?
    /// What gives the next one; `nil` for a grant without.
    public let refreshToken: SecretValue?
    /// What was granted; empty when the server did not say.
    public let scope: String

    /// Tokens.
    public init(
        accessToken: SecretValue,
        scheme: TokenScheme,
        expires: Int64?,
        refreshToken: SecretValue?,
        scope: String
    ) {
        self.accessToken = accessToken
        self.scheme = scheme
        self.expires = expires
        self.refreshToken = refreshToken
        self.scope = scope
    }

    /// What there is, and nothing of it.
    public var description: String {
        "tokens (\(scheme.name), \(refreshToken == nil ? "without" : "with") a refresh token)"
    }

    /// Empty: a dump shows nothing of them.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text has only what a scope may have (RFC 6749, section 3.3).
    static func isScope(_ text: String) -> Bool {
        text.utf8.count <= TokenResponse.maximumScopeSize
            && text.utf8.allSatisfy {
                $0 == 0x20 || $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0)
            }
    }
}

/// What a request is made with: an access token, and which one.
public struct AccessCredential: Sendable, CustomStringConvertible {
    /// The token.
    public let token: SecretValue
    /// How it is shown.
    public let scheme: TokenScheme
    /// Which one it is: each refresh and each sign-in has a higher number, in whatever process it happens.
    public let number: UInt64

    /// "Bearer TOKEN": the value of the `Authorization` field.
    public var authorization: SecretValue {
        var builder = SecretBuilder(capacity: token.count + 8)
        builder.append(scheme.name + " ")
        token.withSpan { builder.append($0) }
        return SecretValue(builder.finish())
    }

    /// Which one, and nothing of it.
    public var description: String { "access token \(number) (\(scheme.name))" }
}
