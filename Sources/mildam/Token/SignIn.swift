import MildamKeychain
import MildamTokens

/// A sign-in as it was set up: which server, which client, which way; no token and no secret.
struct SignIn: Codable {
    /// How somebody signs in.
    enum Way: String, Codable {
        case browser, device
        case clientCredentials = "client credentials"
    }

    /// How the client shows its secret.
    enum ClientProof: String, Codable, CaseIterable {
        case basic, post
    }

    /// Where the key is that tokens are bound to.
    enum ProofKey: String, Codable, CaseIterable {
        case keychain, enclave
    }

    let name: String
    var issuer: String?
    var tokenEndpoint: String
    var authorizationEndpoint: String?
    var deviceEndpoint: String?
    var revocationEndpoint: String?
    var namesItselfInRedirects: Bool
    var clientID: String
    var clientProof: ClientProof?
    var way: Way
    var scope: String?
    var proofKey: ProofKey?

    /// What the key for proofs is called in the keychain.
    var proofTag: String { "token \(name)" }

    /// The server.
    ///
    /// - Throws: `DamagedSignIn` when an address in it is none.
    func server() throws(DamagedSignIn) -> OAuthServer {
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
