import MildamKeychain

/// What tokens are asked for with.
public enum TokenGrant: Sendable {
    /// A refresh token (RFC 6749, section 6).
    case refreshToken(SecretValue, scope: String? = nil)
    /// The code that a redirect brought, with what began it (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    case authorizationCode(SecretValue, redirect: String, verifier: SecretValue)
    /// A device's code (RFC 8628, section 3.4).
    case deviceCode(SecretValue)
    /// The client itself (RFC 6749, section 4.4).
    case clientCredentials(scope: String?)
    /// A grant with a name of its own (RFC 6749, section 4.5).
    case other(ExtensionGrant)

    /// Adds what is sent of it.
    func add(to form: inout FormBody) {
        switch self {
        case .refreshToken(let token, let scope):
            form.add("grant_type", "refresh_token")
            form.add("refresh_token", token)
            if let scope { form.add("scope", scope) }
        case .authorizationCode(let code, let redirect, let verifier):
            form.add("grant_type", "authorization_code")
            form.add("code", code)
            form.add("redirect_uri", redirect)
            form.add("code_verifier", verifier)
        case .deviceCode(let code):
            form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            form.add("device_code", code)
        case .clientCredentials(let scope):
            form.add("grant_type", "client_credentials")
            if let scope { form.add("scope", scope) }
        case .other(let grant):
            form.add("grant_type", grant.name)
            for (name, value) in grant.parameters { form.add(name, value) }
            guard let assertion = grant.clientAssertion else { return }
            form.add("client_assertion_type", assertion.type)
            form.add("client_assertion", assertion.value)
        }
    }
}

/// A grant that is not one of the standard's own, such as a login with what a person knows and a device's signature.
public struct ExtensionGrant: Sendable {
    /// Its name: a URN or another absolute URI.
    public let name: String
    /// What is sent beside the name; none of the names that the form has already.
    public let parameters: [(name: String, value: SecretValue)]
    /// What proves who the client is (RFC 7521, section 4.2).
    public let clientAssertion: ClientAssertion?

    /// A signed statement of the client's.
    public struct ClientAssertion: Sendable {
        /// Its kind, as `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.
        public let type: String
        /// The statement.
        public let value: SecretValue

        /// A statement.
        public init(type: String, value: SecretValue) {
            self.type = type
            self.value = value
        }
    }

    /// A grant.
    public init(
        _ name: String,
        _ parameters: [(name: String, value: SecretValue)] = [],
        clientAssertion: ClientAssertion? = nil
    ) {
        self.name = name
        self.parameters = parameters
        self.clientAssertion = clientAssertion
    }
}
