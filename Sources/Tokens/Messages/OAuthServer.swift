import MildamKeychain
import MildamWire

/// An authorization server: where its endpoints are (RFC 8414).
public struct OAuthServer: Sendable, Equatable {
    /// The most bytes of a metadata document: 256 KiB.
    public static let maximumMetadataSize = 256 << 10

    /// Who it is, as its tokens and redirects say; `nil` where only its endpoints are known.
    public var issuer: String?
    /// Where tokens are asked for.
    public var token: ServerURL
    /// Where a person signs in.
    public var authorization: ServerURL?
    /// Where a device asks for a code (RFC 8628).
    public var deviceAuthorization: ServerURL?
    /// Where tokens are given back (RFC 7009).
    public var revocation: ServerURL?
    /// Whether its redirects say who they are from, so that one that does not is refused (RFC 9207).
    public var namesItselfInRedirects = false
    /// Whether it takes S256 for PKCE; `nil` where it does not say.
    public var takesS256: Bool?

    /// A server whose endpoints are known.
    public init(token: ServerURL, issuer: String? = nil) {
        self.token = token
        self.issuer = issuer
    }

    /// Reads a metadata document.
    ///
    /// Every endpoint in it must be `https`, or on this machine; at the issuer's port; and no nearer than the issuer: none
    /// on this machine unless the issuer is, and none at a private or link-local address where the issuer has a name or a
    /// public one. What is not used here is not looked at.
    ///
    /// - Parameters:
    ///   - issuer: who was asked; the document must name that very issuer (RFC 8414, section 3.3).
    ///   - allowed: origins where endpoints may be all the same, as ``ServerURL/origin`` has them.
    /// - Throws: `AnswerDefect`.
    public init(
        metadata: Span<UInt8>,
        of issuer: ServerURL,
        allowing allowed: Set<String> = []
    ) throws(AnswerDefect) {
        let fields = try AnswerFields(metadata, limit: OAuthServer.maximumMetadataSize)
        guard let named = try fields.text("issuer", limit: ServerURL.maximumSize) else {
            throw .missing(field: "issuer")
        }
        guard named == issuer.description else { throw .invalid(field: "issuer") }
        let rule = EndpointRule(issuer: issuer, allowed: allowed)
        guard let token = try fields.endpoint("token_endpoint", rule) else { throw .missing(field: "token_endpoint") }
        self.issuer = named
        self.token = token
        authorization = try fields.endpoint("authorization_endpoint", rule)
        deviceAuthorization = try fields.endpoint("device_authorization_endpoint", rule)
        revocation = try fields.endpoint("revocation_endpoint", rule)
        namesItselfInRedirects = try fields.flag("authorization_response_iss_parameter_supported") ?? false
        takesS256 = try fields.texts("code_challenge_methods_supported", limit: 64).map { $0.contains("S256") }
    }

    /// Asks an issuer for its metadata: at `/.well-known/oauth-authorization-server`, which goes between host and path (RFC
    /// 8414, section 3.1), and where that is not found, at `/.well-known/openid-configuration` behind the path, where
    /// servers of OpenID Connect have theirs.
    ///
    /// - Parameter allowed: as ``init(metadata:of:allowing:)``.
    /// - Throws: `TokenError`: `exchange`, `failed`, `malformed`.
    public static func discover(
        _ issuer: ServerURL,
        allowing allowed: Set<String> = [],
        through exchange: any HTTPExchanging
    ) async throws(TokenError) -> OAuthServer {
        let path = issuer.path.hasSuffix("/") ? String(issuer.path.dropLast()) : issuer.path
        guard issuer.query == nil,
            let first = ServerURL(issuer.origin + "/.well-known/oauth-authorization-server" + path),
            let second = ServerURL(issuer.origin + path + "/.well-known/openid-configuration")
        else { throw .malformed(.invalid(field: "issuer")) }
        var status = 0
        for url in [first, second] {
            let request = OutgoingRequest("GET", url, fields: [.init("Accept", text: "application/json")])
            let answer = try await TokenError.exchanging { () throws(ExchangeError) in
                try await exchange.exchange(request)
            }
            status = answer.status
            if status == 200 { return try read(answer, of: issuer, allowing: allowed) }
            guard status == 404 || status == 400 else { break }
        }
        throw .failed(status: status)
    }

    private static func read(
        _ answer: IncomingAnswer,
        of issuer: ServerURL,
        allowing allowed: Set<String>
    ) throws(TokenError) -> OAuthServer {
        do throws(AnswerDefect) {
            return try answer.body.withSpan { (text) throws(AnswerDefect) in
                try OAuthServer(metadata: text, of: issuer, allowing: allowed)
            }
        } catch {
            throw .malformed(error)
        }
    }
}

extension AnswerFields {
    /// The address of an endpoint, where it may be.
    fileprivate func endpoint(_ name: String, _ rule: EndpointRule) throws(AnswerDefect) -> ServerURL? {
        guard let url = try url(name) else { return nil }
        guard rule.permits(url) else { throw .foreignEndpoint(field: name, origin: url.origin) }
        return url
    }
}
