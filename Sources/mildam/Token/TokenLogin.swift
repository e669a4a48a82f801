import MildamCrypto
import MildamKeychain
import MildamTerminal
import MildamTokens

/// `mildam token login`.
extension Action {
    func logInAtServer() async throws {
        let name = try signInName()
        try checkWays()
        let store = try await signIns()
        let old = try existingSignIn(name, in: store)
        let (signIn, server, secret) = try await planned(name, old, in: store)
        let endpoint = try store.endpoint(of: signIn, at: server, clientSecret: secret)
        let granted = try await naming(name) { () throws(TokenError) in try await grant(signIn, endpoint) }
        let entry = try store.keep(signIn, clientSecret: secret)
        let manager = try store.manager(of: entry)
        try await naming(name) { () throws(TokenError) in try await manager.signIn(with: granted) }
        if let old, old.proofKey != signIn.proofKey { try store.removeProofKey(of: old) }
        let status = SignInStatus(
            signIn,
            try await naming(name) { () throws(TokenError) in try await manager.status() }
        )
        try report.answer(status) { "signed in\n" + status.text }
    }

    // MARK: What is to be set up

    private func checkWays() throws(UsageError) {
        guard !(invocation.flag("device") && invocation.flag("client-credentials")) else {
            throw wrong("--device", "left out with --client-credentials: there is one way to sign in")
        }
        guard invocation.value("client-auth") == nil || invocation.value("client-secret-file") != nil else {
            throw wrong("--client-auth", "beside --client-secret-file")
        }
    }

    /// Whether somebody names another server or client than before.
    private var isSetUpAnew: Bool {
        ["issuer", "token-endpoint", "client-id"].contains { invocation.value($0) != nil }
    }

    /// What is there under this name, if it can be read.
    private func existingSignIn(_ name: String, in store: SignInStore) throws -> SignIn? {
        do { return try store.find(name).signIn } catch is NoSignIn {
            return nil
        } catch let error as DamagedSignIn {
            guard isSetUpAnew else { throw error }
            return nil
        }
    }

    private func planned(
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
        guard let path = invocation.value("client-secret-file") else { return nil }
        return try PasswordFile.read(path) { SecretValue(copying: $0) }
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
        if let issuer = try address("issuer") {
            server = try await naming(name) { () throws(TokenError) in
                try await OAuthServer.discover(issuer, through: CurlExchange())
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

    private func address(_ option: String) throws(UsageError) -> ServerURL? {
        guard let text = invocation.value(option) else { return nil }
        guard let url = ServerURL(text) else {
            throw wrong("--\(option)", "https://HOST[:PORT][/PATH]; http:// is for this machine")
        }
        return url
    }

    // MARK: Signing in

    private func grant(_ signIn: SignIn, _ endpoint: TokenEndpoint) async throws(TokenError) -> GrantedTokens {
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
