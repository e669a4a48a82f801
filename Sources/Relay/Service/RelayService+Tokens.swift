import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport
import MildamWire

extension RouteHandler {
    /// Tokens.
    static let tokens = [
        // Every refusal of the token endpoint is in OAuth's form.
        RouteHandler(unguarded: Routes.token, also: [.login, .refresh, .password, .code, .recovery]) {
            $0.tokens($1, $2)
        },
        RouteHandler(Routes.revocation, .refresh) { service, call throws(APIError) in
            try service.revoke(call.request, call.reply)
        },
        RouteHandler(Routes.metadata) { $0.metadata($1.reply) },
    ]
}

/// The relay as an OAuth 2.0 authorization server: a grant of its own, and refresh tokens.
extension RelayService {
    /// `POST /v1/token`.
    func tokens(_ request: HTTPRequest, _ reply: Answer) {
        var isRefresh = false
        do throws(APIError) {
            try Routes.token.query.read(request.target.queryItems)
            let form = try Self.form(of: request)
            isRefresh = form["grant_type"]?.utf8.elementsEqual(TokenRequest.refreshGrantType.utf8) == true
            try admit(isRefresh ? .refresh : .login, request)
            let turn = turn(of: request, reply)
            let address = parts.gate.address(of: request)
            withKey(of: request, for: turn) { [self, isRefresh] shown in
                do throws(APIError) {
                    let thumbprint = try shown.get()
                    switch try TokenRequest(form) {
                    case .login(let grant, let assertion):
                        try logIn(grant, assertion, from: address, boundTo: thumbprint, turn, reply)
                    case .refresh(let token, let assertion):
                        refresh(token, assertion, boundTo: thumbprint, turn, reply)
                    }
                } catch {
                    reply.send(.tokens(.failure(error), isRefresh: isRefresh, nonce: parts.proofs.nonce))
                }
            }
        } catch {
            reply.send(.tokens(.failure(error), isRefresh: isRefresh, nonce: parts.proofs.nonce))
        }
    }

    private func logIn(
        _ grant: LoginGrant,
        _ assertion: DeviceAssertion,
        from address: SocketAddress,
        boundTo thumbprint: String?,
        _ turn: Turn,
        _ reply: Answer
    ) throws(APIError) {
        let factor = try PresentedFactor(otp: grant.code, recoveryCode: grant.recoveryCode)
        parts.check(for: turn) { reader throws(StorageError) in
            .success(try reader.login(grant.handle, assertion.device))
        } _: { [parts] (row: LoginRow?) in
            let result = LoginCheck.check(
                grant,
                assertion,
                boundTo: thumbprint ?? "",
                against: row,
                relay: parts.secrets.relay,
                at: parts.clock.seconds,
                admit: { account throws(APIError) in try parts.gate.admit(.password, .account(account)) }
            )
            return .success((account: row?.account, result: result))
        } then: { [parts] (looked: Result<(account: AccountID?, result: Result<CheckedLogin, APIError>), APIError>) in
            let result = looked.flatMap(\.result).flatMap { login in
                Result { () throws(APIError) in
                    if thumbprint == nil { try parts.logins.take(assertion) }
                    return login
                }
            }
            switch result {
            case .success(let login):
                Self.beginSession(of: login, factor, boundTo: thumbprint, parts, reply) { result in
                    if case .failure = result, thumbprint == nil { parts.logins.forget(assertion) }
                    parts.loginFailures.note(result, from: address)
                }
            case .failure(let error):
                parts.loginFailures.note(result, from: address)
                reply.send(.tokens(.failure(error), isRefresh: false, nonce: parts.proofs.nonce))
                // Only now, so that the answer comes no later where there is such an account.
                if case .success((let account?, _)) = looked { parts.failedLogins.add(account) }
            }
        }
    }

    /// - Parameter end: told what came of it.
    private static func beginSession(
        of login: CheckedLogin,
        _ factor: PresentedFactor?,
        boundTo thumbprint: String?,
        _ parts: RelayParts,
        _ reply: Answer,
        then end: @escaping @Sendable (Result<Void, APIError>) -> Void
    ) {
        do throws(APIError) {
            try parts.gate.admit(factor, of: login.address.account)
        } catch {
            end(.failure(error))
            return reply.send(.tokens(.failure(error), isRefresh: false, nonce: parts.proofs.nonce))
        }
        let refresh = SecureRandom.bytes(count: 32)
        let family = RefreshFamily(session: .random(), first: refresh, at: parts.clock.seconds)
        let operation = LogIn(
            login: login,
            family: family,
            thumbprint: thumbprint,
            factor: parts.check(factor, of: login.address)
        )
        parts.commits.perform(operation, for: Turn(payer: .account(login.address.account), client: reply.client)) {
            result in
            end(result.map { _ in })
            let tokens = result.flatMap {
                parts.tokens.issue(for: login.address, session: family.session, refresh: refresh, boundTo: thumbprint)
            }
            reply.send(.tokens(tokens, isRefresh: false, nonce: parts.proofs.nonce))
        }
    }

    private func refresh(
        _ token: RefreshToken,
        _ assertion: DeviceAssertion,
        boundTo thumbprint: String?,
        _ turn: Turn,
        _ reply: Answer
    ) {
        parts.check(for: turn) { reader throws(StorageError) in
            .success(try reader.session(token.session))
        } _: { [parts] (row: SessionRow?) in
            LoginCheck.check(
                token,
                assertion,
                boundTo: thumbprint ?? "",
                against: row,
                relay: parts.secrets.relay,
                at: parts.clock.seconds
            )
        } then: { [parts] (result: Result<Void, APIError>) in
            switch result {
            case .success: Self.advance(token, boundTo: thumbprint, parts, turn, reply)
            case .failure(let error):
                reply.send(.tokens(.failure(error), isRefresh: true, nonce: parts.proofs.nonce))
            }
        }
    }

    private static func advance(
        _ token: RefreshToken,
        boundTo thumbprint: String?,
        _ parts: RelayParts,
        _ turn: Turn,
        _ reply: Answer
    ) {
        let operation = Refresh(token: token, thumbprint: thumbprint, keys: parts.secrets.refreshKeys)
        parts.commits.perform(operation, for: turn) { result in
            let tokens = result.flatMap {
                parts.tokens.issue(for: $0.address, session: token.session, refresh: $0.token, boundTo: thumbprint)
            }
            reply.send(.tokens(tokens, isRefresh: true, nonce: parts.proofs.nonce))
        }
    }

    /// `POST /v1/revocation`. What is no token of a living session is answered alike (RFC 7009, section 2.2).
    func revoke(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        guard let text = try Self.form(of: request)["token"] else { throw APIError(.badRequest, "token is missing") }
        guard let token = try? RefreshToken(text: text) else { return reply.send(.empty) }
        parts.commits.perform(Revoke(token: token), for: turn(of: request, reply)) {
            reply.send(HTTPResponse($0.map { .empty }))
        }
    }

    /// `GET /.well-known/oauth-authorization-server`.
    func metadata(_ reply: Answer) {
        reply.send(.json(ServerMetadata(issuer: parts.publicAddress.issuer)))
    }

    private static func form(of request: HTTPRequest) throws(APIError) -> FormFields {
        // What is long is none, and is not looked at character by character.
        let field = request.fields["Content-Type"].flatMap { $0.utf8.count <= 128 ? $0 : nil }
        guard field?.prefix(while: { $0 != ";" }).lowercased() == "application/x-www-form-urlencoded" else {
            throw APIError(.badRequest, "the body is no form: application/x-www-form-urlencoded")
        }
        do { return try FormFields(text: request.body.span) } catch {
            throw APIError(.badRequest, "the form cannot be read, or names a field twice")
        }
    }
}

extension HTTPResponse {
    /// Nothing to say, with the status that a form's sender expects.
    static let empty = HTTPResponse(status: 200, fields: ["Cache-Control": "no-store"])

    /// What the token endpoint answers (RFC 6749, sections 5.1 and 5.2).
    ///
    /// - Parameter nonce: for whoever needs one in the proof.
    static func tokens(_ result: Result<TokenAnswer, APIError>, isRefresh: Bool, nonce: String) -> HTTPResponse {
        switch result {
        case .success(let answer): return .json(answer)
        case .failure(let error) where error.code == .rateLimited: return .error(error)
        case .failure(let error):
            let said = TokenError(error, isRefresh: isRefresh)
            let isClients = said.error == "invalid_client"
            let status = error.code.status >= 500 ? error.code.status : isClients ? 401 : 400
            var response = HTTPResponse.json(said, status: status)
            if isClients { response.fields.append("WWW-Authenticate", "DeviceAssertion") }
            if error.code == .nonceNeeded { response.fields.append("DPoP-Nonce", nonce) }
            if error.code == .unavailable { response.fields.append("Retry-After", "1") }
            return response
        }
    }
}
