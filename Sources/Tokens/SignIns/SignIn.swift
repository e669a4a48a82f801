/// A sign-in as it was set up: which server, which client, which way; no token and no secret.
public struct SignIn: Codable, Sendable {
    /// How somebody signs in.
    public enum Way: String, Codable, Sendable {
        /// In a browser on this machine.
        case browser
        /// On another device, by a code.
        case device
        /// Not at all: the client is its own user.
        case clientCredentials = "client credentials"
    }

    /// How the client shows its secret.
    public enum ClientProof: String, Codable, CaseIterable, Sendable {
        /// In a field of the request (HTTP Basic).
        case basic
        /// In the request's body.
        case post
    }

    /// Where the key is that tokens are bound to.
    public enum ProofKey: String, Codable, CaseIterable, Sendable {
        /// In the keychain.
        case keychain
        /// In the TPM.
        case enclave
    }

    /// What the person calls it.
    public let name: String
    /// The server's issuer identifier, where it has one.
    public var issuer: String?
    /// The endpoints.
    public var tokenEndpoint: String
    /// Where the browser goes.
    public var authorizationEndpoint: String?
    /// Where a device asks for its code.
    public var deviceEndpoint: String?
    /// Where tokens are given back.
    public var revocationEndpoint: String?
    /// Whether the server says in a redirect who it is (RFC 9207).
    public var namesItselfInRedirects: Bool
    /// What the server calls this client.
    public var clientID: String
    /// How the client shows its secret; `basic` unless said.
    public var clientProof: ClientProof?
    /// How somebody signs in.
    public var way: Way
    /// What is asked for.
    public var scope: String?
    /// Where the key is that tokens are bound to, if they are.
    public var proofKey: ProofKey?

    /// A sign-in at a server.
    public init(name: String, at server: OAuthServer, clientID: String) {
        self.name = name
        issuer = server.issuer
        tokenEndpoint = server.token.description
        authorizationEndpoint = server.authorization?.description
        deviceEndpoint = server.deviceAuthorization?.description
        revocationEndpoint = server.revocation?.description
        namesItselfInRedirects = server.namesItselfInRedirects
        self.clientID = clientID
        way = .browser
    }

    /// What the key for proofs is called in the keychain.
    var proofTag: String { "token \(name)" }

    /// The server.
    ///
    /// - Throws: `DamagedSignIn` when an address in it is none.
    public func server() throws(DamagedSignIn) -> OAuthServer {
        var server = OAuthServer(token: try address(tokenEndpoint), issuer: issuer)
        server.authorization = try address(authorizationEndpoint)
        server.deviceAuthorization = try address(deviceEndpoint)
        server.revocation = try address(revocationEndpoint)
        server.namesItselfInRedirects = namesItselfInRedirects
        return server
    }

    private func address(_ text: String) throws(DamagedSignIn) -> ServerURL {
        guard let url = ServerURL(text) else { throw DamagedSignIn(name: name) }
        return url
    }

    private func address(_ text: String?) throws(DamagedSignIn) -> ServerURL? {
        guard let text else { return nil }
        return try address(text) as ServerURL
    }
}
