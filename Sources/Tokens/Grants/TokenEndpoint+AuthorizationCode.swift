import MildamCrypto
import MildamKeychain
import MildamTransport
import MildamWire

extension TokenEndpoint {
    /// Signs a person in through the browser: authorization code with PKCE and a redirect to this machine (RFC 6749, section
    /// 4.1; RFC 7636; RFC 8252).
    ///
    /// - Parameters:
    ///   - scope: what is asked for; `nil` leaves it to the server.
    ///   - limit: how long the person may take.
    ///   - open: shows the address to the person; by default in the system's browser.
    /// - Throws: `refused` when the person or the server said no; `timedOut`; `forgedRedirect` when the redirect names
    ///   another server, or none though this one always names itself (RFC 9207); `noBrowser`; `unsupported`; `cancelled`;
    ///   as ``tokens(by:)``.
    public func signInThroughBrowser(
        scope: String? = nil,
        within limit: Duration = .seconds(600),
        open: (ServerURL) throws(TokenError) -> Void = SystemBrowser.open
    ) async throws(TokenError) -> GrantedTokens {
        guard let authorization = server.authorization, server.takesS256 != false else { throw .unsupported }
        let pkce = PKCE()
        let state = Base64.url.encode(SecureRandom.bytes(count: 32))
        let arrival = try await TokenEndpoint.redirect(state).wait(within: limit, clock: clock) {
            (redirect) throws(TokenError) in
            var query = [
                ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirect), ("state", state),
                ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
            ]
            if let scope { query.append(("scope", scope)) }
            let text = query.map { $0.0 + "=" + FormBody.encoded($0.1) }.joined(separator: "&")
            guard let url = authorization.adding(query: text) else { throw .unsupported }
            try open(url)
        }
        guard let arrival else { throw Task.isCancelled ? .cancelled : .timedOut }
        let code = try check(arrival.arrival)
        return try await tokens(by: .authorizationCode(code, redirect: arrival.redirect, verifier: pkce.verifier))
    }

    private static func redirect(_ state: String) throws(TokenError) -> LoopbackRedirect {
        do throws(TransportError) { return try LoopbackRedirect(state: state) } catch { throw .noBrowser }
    }

    /// The code of a redirect that came from this server.
    private func check(_ arrival: LoopbackRedirect.Arrival) throws(TokenError) -> SecretValue {
        if let named = arrival.issuer {
            guard server.issuer == nil || named == server.issuer else { throw .forgedRedirect }
        } else if server.namesItselfInRedirects {
            throw .forgedRedirect
        }
        if let error = arrival.error { throw .refused(OAuthErrorCode(error)) }
        guard let code = arrival.code else { throw .forgedRedirect }
        return code
    }
}
