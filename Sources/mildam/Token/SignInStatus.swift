import MildamTokens

/// How a sign-in does: what may be shown of it.
struct SignInStatus: Encodable {
    var name: String
    var server: String
    var client: String
    var grant: String
    var dpop: String?
    var signedIn: Bool
    var scope: String?
    /// Seconds since 1970, by the server's clock.
    var expires: Int64?
    var refreshToken: Bool

    init(_ signIn: SignIn, _ tokens: TokenSet?) {
        name = signIn.name
        server = signIn.issuer ?? signIn.tokenEndpoint
        client = signIn.clientID
        grant = signIn.way.rawValue
        dpop = signIn.proofKey?.rawValue
        // A client that is its own user needs nobody.
        signedIn = tokens != nil || signIn.way == .clientCredentials
        let granted = tokens?.scope ?? ""
        scope = granted.isEmpty ? signIn.scope : granted
        expires = tokens?.expires.map { $0 / 1000 }
        refreshToken = tokens?.refreshToken != nil
    }

    var text: String {
        var lines = [
            ("name", name), ("server", server), ("client", client), ("grant", grant),
            ("state", signedIn ? "signed in" : "somebody has to sign in: mildam token login \(name)"),
        ]
        if let scope { lines.append(("scope", scope)) }
        if let expires {
            let time = LocalTime(seconds: expires)
            lines.append(("access token", "good until \(time.text)"))
        }
        lines.append(("refresh token", refreshToken ? "yes" : "no"))
        if let dpop { lines.append(("bound to a key", dpop)) }
        return lines.map { shown("\($0.0): \($0.1)") }.joined(separator: "\n")
    }
}
