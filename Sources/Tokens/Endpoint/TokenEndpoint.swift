import MildamKeychain

/// A server's token endpoint, and what is asked of it and beside it.
public struct TokenEndpoint: Sendable {
    /// The server.
    public let server: OAuthServer
    /// The client that asks.
    public let client: OAuthClient
    let exchange: any HTTPExchanging
    let proofs: (any ProofMaker)?
    let clock: TokenClock
    let nonces = NonceBook()

    /// Knows whom to ask, and through what.
    ///
    /// - Parameters:
    ///   - proofs: what binds the tokens to a key (RFC 9449), as ``KeychainProofMaker`` and ``EnclaveProofMaker`` do; a
    ///     token that is not bound is refused then.
    ///   - clock: what tells how long ago tokens were asked for.
    public init(
        _ server: OAuthServer,
        _ client: OAuthClient,
        through exchange: any HTTPExchanging = CurlExchange(),
        proofs: (any ProofMaker)? = nil,
        clock: TokenClock = .system
    ) {
        self.server = server
        self.client = client
        self.exchange = exchange
        self.proofs = proofs
        self.clock = clock
    }

    /// Asks for tokens.
    ///
    /// - Throws: `refused`, `exchange`, `failed`, `malformed`, `noProof`, `cancelled`.
    public func tokens(by grant: TokenGrant) async throws(TokenError) -> GrantedTokens {
        let asked = TimeAnchor(clock)
        let answer = try await post(to: server.token, isForTokens: true, grant.add(to:))
        let response = try TokenEndpoint.read(answer)
        guard proofs == nil || response.scheme == .dpop else { throw .malformed(.notBound) }
        return GrantedTokens(
            response: response,
            asked: asked.at(server: answer.date ?? asked.wall),
            isDated: answer.date != nil
        )
    }

    /// Gives a token back: the server ends it, and what came from it (RFC 7009).
    ///
    /// - Parameter kind: "refresh_token" or "access_token": where the server is to look first.
    /// - Throws: as ``tokens(by:)``; `unsupported` where the server takes none back.
    public func revoke(_ token: SecretValue, kind: String = "refresh_token") async throws(TokenError) {
        guard let url = server.revocation else { throw .unsupported }
        let answer = try await post(to: url, isForTokens: false) { form in
            form.add("token", token)
            form.add("token_type_hint", kind)
        }
        guard answer.status == 200 || answer.status == 204 else { throw TokenEndpoint.error(answer) }
    }

    /// Posts a form; where the server wants its nonce in the proof, once more with it: it has done nothing yet.
    func post(
        to url: ServerURL,
        isForTokens: Bool,
        _ fill: (inout FormBody) -> Void
    ) async throws(TokenError) -> IncomingAnswer {
        let request = TokenEndpoint.request(to: url, client, fill)
        let answer = try await send(request, withProof: isForTokens)
        guard isForTokens, proofs != nil, answer.status == 400 || answer.status == 401,
            OAuthErrorCode(answer: answer.body) == .useDPoPNonce, answer.only("dpop-nonce") != nil
        else { return answer }
        return try await send(request, withProof: true)
    }

    private static func request(
        to url: ServerURL,
        _ client: OAuthClient,
        _ fill: (inout FormBody) -> Void
    ) -> OutgoingRequest {
        var form = FormBody()
        fill(&form)
        client.identify(in: &form)
        return OutgoingRequest(
            "POST",
            url,
            fields: [
                .init("Content-Type", text: "application/x-www-form-urlencoded"),
                .init("Accept", text: "application/json"),
            ] + [client.field].compactMap { $0 },
            body: form.finish()
        )
    }

    private func send(_ request: OutgoingRequest, withProof: Bool) async throws(TokenError) -> IncomingAnswer {
        var request = request
        if withProof, let proofs { request.fields.append(try await proof(proofs, request, nil)) }
        let answer = try await TokenError.exchanging { () throws(ExchangeError) in
            try await exchange.exchange(request)
        }
        nonces.note(answer, from: request.url.origin)
        return answer
    }

    /// The `DPoP` field for a request.
    func proof(
        _ proofs: any ProofMaker,
        _ request: OutgoingRequest,
        _ token: SecretValue?
    ) async throws(TokenError) -> OutgoingRequest.Field {
        do {
            let text = try await proofs.proof(
                method: request.method,
                url: request.url.withoutQuery,
                accessToken: token?.text,
                nonce: nonces[request.url.origin]
            )
            return OutgoingRequest.Field("DPoP", text: text)
        } catch ProofError.keychain(.locked) {
            throw .notNow(.locked)
        } catch {
            throw .noProof
        }
    }

    /// Reads what a token endpoint answered.
    static func read(_ answer: IncomingAnswer) throws(TokenError) -> TokenResponse {
        guard answer.status == 200 else { throw error(answer) }
        do throws(AnswerDefect) {
            return try answer.body.withSpan { (text) throws(AnswerDefect) in try TokenResponse(json: text) }
        } catch {
            // GitHub refuses with status 200.
            if let code = OAuthErrorCode(answer: answer.body) { throw .refused(code) }
            throw .malformed(error)
        }
    }

    /// Why it refused: by the code in an answer of status 400 to 499. What stands in any other is no decision.
    static func error(_ answer: IncomingAnswer) -> TokenError {
        guard (400...499).contains(answer.status), answer.status != 408, answer.status != 429,
            let code = OAuthErrorCode(answer: answer.body)
        else { return .failed(status: answer.status) }
        return .refused(code)
    }
}

/// Tokens as a server has just given them.
public struct GrantedTokens: Sendable {
    /// What it answered.
    public let response: TokenResponse
    /// When it was asked: the token's time runs from then on, though the server counts from a little later.
    public let asked: TimeAnchor
    /// Whether the server told its clock; if not, `asked` takes the wall clock for it.
    let isDated: Bool
}
