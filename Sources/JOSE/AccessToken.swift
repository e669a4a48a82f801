import MildamCrypto

/// An access token: a JWT of type `at+jwt` (RFC 9068), EdDSA only.
public struct AccessToken: Codable, Sendable, Equatable {
    /// The `typ` header.
    public static let type = "at+jwt"
    /// How long it lives at the most, in seconds.
    public static let lifetime: Int64 = 300

    /// Who issued it: the relay's id.
    public var iss: String
    /// Whom it is for: the relay's id.
    public var aud: String
    /// The account's id.
    public var sub: String
    /// The device's id.
    public var device: String
    /// The session's id.
    public var sid: String
    /// When it was issued, in seconds since 1970.
    public var iat: Int64
    /// The first second at which it is refused.
    public var exp: Int64

    /// The key that it is bound to (RFC 9449, section 6.1); `nil` for a token that works for whoever has it.
    public var cnf: Confirmation?

    /// What a token is bound to.
    public struct Confirmation: Codable, Sendable, Equatable {
        /// The key's thumbprint (RFC 7638).
        public var jkt: String

        /// A key's.
        public init(jkt: String) {
            self.jkt = jkt
        }
    }

    /// A token for a session.
    ///
    /// - Parameters:
    ///   - thumbprint: of the key that it is bound to.
    ///   - lifetime: in seconds, ``AccessToken/lifetime`` at the most.
    public init(
        relay: String,
        account: String,
        device: String,
        session: String,
        boundTo thumbprint: String? = nil,
        lifetime: Int64 = AccessToken.lifetime,
        at now: Int64
    ) {
        iss = relay
        aud = relay
        sub = account
        self.device = device
        sid = session
        iat = now
        exp = now + lifetime
        cnf = thumbprint.map(Confirmation.init)
    }

    /// Signs the token.
    public func signed(keyID: String, by key: Curve25519.Signing.PrivateKey) throws(JOSEError) -> String {
        try JWS.sign(self, type: AccessToken.type, keyID: keyID, by: key)
    }

    /// Verifies a token: signature, issuer, audience, time. Reads no store.
    public init(
        verifying text: String,
        relay: String,
        at now: Int64,
        key: (String) -> Curve25519.Signing.PublicKey?
    ) throws(JOSEError) {
        self = try JWS.verify(text, type: AccessToken.type, key: key)
        guard iss == relay, aud == relay else { throw .notForUs }
        let (lifetime, overflow) = exp.subtractingReportingOverflow(iat)
        guard now < exp, !overflow, (0...AccessToken.lifetime).contains(lifetime) else { throw .expired }
    }
}
