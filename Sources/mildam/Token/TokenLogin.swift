import MildamKeychain
import MildamTerminal
import MildamTokens

private let serverOptions = [
    OptionSpec("issuer", value: .init("URL"), help: "The server; it says itself where its endpoints are (RFC 8414)."),
    OptionSpec(
        "token-endpoint",
        value: .init("URL"),
        help: "Where tokens are asked for, if not where the issuer says."
    ),
    OptionSpec("authorization-endpoint", value: .init("URL"), help: "Where a person signs in, likewise."),
    OptionSpec("device-endpoint", value: .init("URL"), help: "Where device codes are asked for, likewise."),
    OptionSpec("revocation-endpoint", value: .init("URL"), help: "Where tokens are given back, likewise."),
    OptionSpec(
        "allow-origin",
        value: .init("URL"),
        help: "Let the issuer name endpoints there (https://HOST[:PORT]), which is another port than its own, this "
            + "machine, or a private network; may be repeated.",
        isRepeatable: true
    ),
]

private let clientOptions = [
    OptionSpec("client-id", value: .init("ID"), help: "What the server calls this client."),
    OptionSpec(
        "client-auth",
        value: .init("WAY", completion: .choices(SignIn.ClientProof.allCases.map(\.rawValue))),
        help: "Show the client's secret in a header (basic, unless given) or in the form (post)."
    ),
    OptionSpec("scope", value: .init("SCOPE"), help: "What is asked for; words in one argument."),
]

private let wayOptions = [
    OptionSpec("device", help: "Sign in on another device, with a code that is shown (RFC 8628)."),
    OptionSpec("client-credentials", help: "The client is its own user; nobody signs in."),
    OptionSpec("no-browser", help: "Start no browser; print the address on standard error."),
    OptionSpec(
        "dpop",
        value: .init("WHERE", completion: .choices(SignIn.ProofKey.allCases.map(\.rawValue))),
        help: "Have the tokens bound to a key (RFC 9449), which the keychain keeps, or never leaves the TPM (enclave)."
    ),
]

let tokenLogin = ActionCommand(
    ["token", "login"],
    summary: "Sign in at an OAuth server.",
    discussion: """
        A browser shows the server's page and brings its answer back to this machine (authorization code with PKCE). The \
        tokens, the client's secret and how it was set up are kept in the profile's keychain, and in none of its \
        exports. From then on `mildam token get` and `exec` have a token at any time, and renew it as need be.

        Who signs in again under a NAME that is there needs no option; --issuer, --token-endpoint or --client-id set it \
        up anew.
        """,
    operands: [Operand("NAME", help: "What to call the sign-in: up to 64 characters without spaces.")],
    options: serverOptions + clientOptions + SecretOption.clientSecret.options + wayOptions + KeychainOpening.all,
    examples: [
        .init("mildam token login work --issuer https://id.example.org --client-id cli", "In the browser."),
        .init("mildam token login work", "Again, when the server has ended it."),
        .init(
            "mildam token login tv --device --issuer https://example.org --client-id tv",
            "The code that it shows is typed in elsewhere."
        ),
    ],
    exitNotes: [
        .init(.wrongSecret, "the client's secret is wrong"), .init(.refused, "the server or the person said no"),
        serverAway,
    ]
) { action in
    let name = try action.signInName()
    try action.checkWays()
    let store = try await action.signIns()
    let old = try action.existingSignIn(name, in: store)
    let (signIn, server, secret) = try await action.planned(name, old, in: store)
    let endpoint = try store.endpoint(of: signIn, at: server, clientSecret: secret)
    let granted = try await action.naming(name) { () throws(TokenError) in try await action.grant(signIn, endpoint) }
    let entry = try store.keep(signIn, clientSecret: secret)
    let manager = try store.manager(of: entry)
    try await action.naming(name) { () throws(TokenError) in try await manager.signIn(with: granted) }
    if let old, old.proofKey != signIn.proofKey { try store.removeProofKey(of: old) }
    let status = SignInStatus(
        signIn,
        try await action.naming(name) { () throws(TokenError) in try await manager.status() }
    )
    return try action.report.answer(status) { "signed in\n" + status.text }
}

extension Action {
    fileprivate func checkWays() throws(UsageError) {
        guard !(invocation.flag("device") && invocation.flag("client-credentials")) else {
            throw wrong("--device", "left out with --client-credentials: there is one way to sign in")
        }
        guard invocation.value("client-auth") == nil || isGiven(.clientSecret) else {
            throw wrong("--client-auth", "beside --client-secret-file")
        }
        guard invocation.values("allow-origin").isEmpty || invocation.value("issuer") != nil else {
            throw wrong("--allow-origin", "beside --issuer")
        }
    }

    /// Whether somebody names another server or client than before.
    private var isSetUpAnew: Bool {
        ["issuer", "token-endpoint", "client-id"].contains { invocation.value($0) != nil }
    }

    /// What is there under this name, if it can be read.
    fileprivate func existingSignIn(_ name: String, in store: SignInStore) throws -> SignIn? {
        do { return try store.find(name).signIn } catch is NoSignIn {
            return nil
        } catch let error as DamagedSignIn {
            guard isSetUpAnew else { throw error }
            return nil
        }
    }

    fileprivate func planned(
        _ name: String,
        _ old: SignIn?,
        in store: SignInStore
    ) async throws -> (SignIn, OAuthServer, SecretValue?) {
        var secret = try newClientSecret()
        var signIn: SignIn
        let server: OAuthServer
        if isSetUpAnew {
            server = try await namedServer(name)
            signIn = try newSignIn(name, at: server)
        } else {
            guard let old else {
                throw wrong(
                    "--issuer",
                    "the server's address, and --client-id beside it: there is no sign-in \(name) yet"
                )
            }
            signIn = old
            server = try old.server()
            if secret == nil { secret = try store.clientSecret(of: old) }
        }
        if let scope = invocation.value("scope") { signIn.scope = scope }
        if invocation.flag("device") { signIn.way = .device }
        if invocation.flag("client-credentials") { signIn.way = .clientCredentials }
        if let proof = invocation.value("client-auth") { signIn.clientProof = SignIn.ClientProof(rawValue: proof) }
        if let place = invocation.value("dpop") { signIn.proofKey = SignIn.ProofKey(rawValue: place) }
        guard signIn.way != .clientCredentials || secret != nil else {
            throw wrong("--client-credentials", "given with --client-secret-file")
        }
        return (signIn, server, secret)
    }

    private func newClientSecret() throws -> SecretValue? {
        guard isGiven(.clientSecret) else { return nil }
        return SecretValue(try secret(.clientSecret, "The client's secret"))
    }

    private func newSignIn(_ name: String, at server: OAuthServer) throws(UsageError) -> SignIn {
        guard let client = invocation.value("client-id"), !client.isEmpty else {
            throw wrong("--client-id", "what the server calls this client")
        }
        return SignIn(name: name, at: server, clientID: client)
    }

    /// The server that the options name: what its issuer says, and what they say instead.
    private func namedServer(_ name: String) async throws -> OAuthServer {
        let token = try address("token-endpoint")
        var server: OAuthServer
        let allowed = try allowedOrigins()
        if let issuer = try address("issuer") {
            server = try await naming(name) { () throws(TokenError) in
                try await OAuthServer.discover(issuer, allowing: allowed, through: CurlExchange())
            }
            if let token { server.token = token }
        } else {
            guard let token else { throw wrong("--issuer", "the server's address, or --token-endpoint") }
            server = OAuthServer(token: token)
        }
        server.authorization = try address("authorization-endpoint") ?? server.authorization
        server.deviceAuthorization = try address("device-endpoint") ?? server.deviceAuthorization
        server.revocation = try address("revocation-endpoint") ?? server.revocation
        return server
    }

    /// Where the person lets an issuer have endpoints.
    private func allowedOrigins() throws(UsageError) -> Set<String> {
        var origins: Set<String> = []
        for text in invocation.values("allow-origin") {
            guard let url = ServerURL(text), ["", "/"].contains(url.path), url.query == nil else {
                throw wrong("--allow-origin", "https://HOST[:PORT]; http:// is for this machine")
            }
            origins.insert(url.origin)
        }
        return origins
    }

    private func address(_ option: String) throws(UsageError) -> ServerURL? {
        guard let text = invocation.value(option) else { return nil }
        guard let url = ServerURL(text) else {
            throw wrong("--\(option)", "https://HOST[:PORT][/PATH]; http:// is for this machine")
        }
        return url
    }

    fileprivate func grant(_ signIn: SignIn, _ endpoint: TokenEndpoint) async throws(TokenError) -> GrantedTokens {
        switch signIn.way {
        case .clientCredentials: return try await endpoint.tokens(by: .clientCredentials(scope: signIn.scope))
        case .browser: return try await endpoint.signInThroughBrowser(scope: signIn.scope, open: showPage)
        case .device:
            let device = try await endpoint.beginDeviceSignIn(scope: signIn.scope)
            console.complain("Open \(device.verification) on any device, and type in there: \(device.userCode)")
            return try await endpoint.finishDeviceSignIn(device)
        }
    }

    /// Shows the server's page in the browser, or says where it is.
    private func showPage(_ url: ServerURL) {
        if !invocation.flag("no-browser"), (try? SystemBrowser.open(url)) != nil {
            console.complain("Sign in with the browser that opens now; without one: --no-browser, or --device.")
        } else {
            console.complain("Open this address in a browser on this machine, and sign in there:\n\(url)")
        }
    }
}
