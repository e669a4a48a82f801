import MildamKeychain
import MildamWire

/// Why an authorization server refused, by the code in its answer (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section
/// 3.5; RFC 9449, section 5).
///
/// The text beside the code (`error_description`) is not kept: servers have been seen to repeat the token in it.
public enum OAuthErrorCode: Hashable, Sendable {
    /// The refresh token or the code is not, or no longer, valid.
    case invalidGrant
    /// The client is not known, or did not prove who it is.
    case invalidClient
    /// The request lacks something, or says it twice.
    case invalidRequest
    /// The client may not use this grant.
    case unauthorizedClient
    /// The server does not know the grant.
    case unsupportedGrantType
    /// The server does not know the kind of token that is to be revoked (RFC 7009, section 2.2.1).
    case unsupportedTokenType
    /// The scope is not known, or more than was granted.
    case invalidScope
    /// The person, or the server, said no.
    case accessDenied
    /// The person has not decided yet (device code).
    case authorizationPending
    /// Ask less often (device code).
    case slowDown
    /// Too late (device code).
    case expiredToken
    /// The server wants to see its nonce in the proof.
    case useDPoPNonce
    /// The proof is not accepted.
    case invalidDPoPProof
    /// The server is overloaded, or down for a while.
    case temporarilyUnavailable
    /// The server failed.
    case serverError
    /// Another code, when it is one of 1 to 40 lower-case letters and "_"; otherwise empty.
    case other(String)

    /// The code as it is sent.
    public var code: String {
        if case .other(let code) = self { return code }
        return OAuthErrorCode.known.first { $0.value == self }?.key ?? ""
    }

    /// Whether it says nothing of the grant: the same request may succeed later.
    var isTransient: Bool {
        switch self {
        case .temporarilyUnavailable, .serverError, .slowDown, .useDPoPNonce: true
        default: false
        }
    }

    /// Reads a code.
    public init(_ code: String) {
        if let known = OAuthErrorCode.known[code] {
            self = known
        } else {
            let isPlain = code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
            self = .other(isPlain && code.utf8.count <= 40 ? code : "")
        }
    }

    private static let known: [String: OAuthErrorCode] = [
        "invalid_grant": .invalidGrant, "invalid_client": .invalidClient, "invalid_request": .invalidRequest,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "unsupported_token_type": .unsupportedTokenType, "invalid_scope": .invalidScope,
        "access_denied": .accessDenied, "authorization_pending": .authorizationPending, "slow_down": .slowDown,
        "expired_token": .expiredToken, "use_dpop_nonce": .useDPoPNonce, "invalid_dpop_proof": .invalidDPoPProof,
        "temporarily_unavailable": .temporarilyUnavailable, "server_error": .serverError,
    ]
}

extension OAuthErrorCode {
    /// The code of an error answer (RFC 6749, section 5.2); `nil` for what is none.
    init?(answer: SecretValue) {
        guard answer.count <= TokenResponse.maximumSize else { return nil }
        let code = answer.withSpan { text in
            (try? JSONReader.read(text))?["error"]?.string(in: text)
        }
        guard let code, !code.isEmpty else { return nil }
        self.init(code)
    }
}
