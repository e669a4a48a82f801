import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RelayService {
    /// `POST /v1/sessions`.
    func logIn(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        _ = try Query(request.target, names: [])
        try admit(.login, request)
        try withBody(LoginRequest.self, of: request, reply) { [parts] body throws(APIError) in
            guard body.authenticator.count == SaltedVerifier.authenticatorSize else {
                throw APIError(.badRequest, "authenticator is not 32 bytes")
            }
            guard body.signature.count == 64 else { throw APIError(.badRequest, "signature is not 64 bytes") }
            let factor = try PresentedFactor(otp: body.otp, recoveryCode: body.recoveryCode)
            parts.reads.perform { reader throws(StorageError) in
                let row = try reader.login(body.handle, body.device)
                let result = LoginCheck.check(
                    body,
                    against: row,
                    relay: parts.secrets.relay,
                    at: parts.clock.seconds,
                    admit: { account throws(APIError) in try parts.gate.admit(.password, .account(account)) }
                )
                return .success((account: row?.account, result: result))
            } then: { (looked: Result<(account: AccountID?, result: Result<CheckedLogin, APIError>), APIError>) in
                switch looked.flatMap(\.result) {
                case .success(let login): Self.beginSession(of: login, factor, parts, reply)
                case .failure(let error):
                    reply.send(.error(error))
                    // Only now, so that the answer comes no later where there is such an account.
                    if case .success((let account?, _)) = looked { parts.failedLogins.add(account) }
                }
            }
        }
    }

    private static func beginSession(
        of login: CheckedLogin,
        _ factor: PresentedFactor?,
        _ parts: RelayParts,
        _ reply: Answer
    ) {
        do throws(APIError) {
            try parts.gate.admit(factor, of: login.address.account)
        } catch {
            return reply.send(.error(error))
        }
        let refresh = SecureRandom.bytes(count: 32)
        let family = RefreshFamily(session: .random(), first: refresh, at: parts.clock.seconds)
        parts.commits.perform { writer throws(StorageError) in
            try writer.logIn(login, family, factor: factor, keys: parts.secrets.codeKeys)
        } then: { result in
            let tokens = result.flatMap {
                parts.tokens.issue(for: login.address, session: family.session, refresh: refresh)
            }
            reply.send(HTTPResponse(tokens.map { .json($0, status: 201) }))
        }
    }

    /// `POST /v1/sessions/refresh`.
    func refresh(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        _ = try Query(request.target, names: [])
        try admit(.refresh, request)
        try withBody(RefreshRequest.self, of: request, reply) { [parts] body throws(APIError) in
            guard body.refresh.count == 32 else { throw APIError(.badRequest, "refresh is not 32 bytes") }
            guard body.signature.count == 64 else { throw APIError(.badRequest, "signature is not 64 bytes") }
            parts.reads.perform { reader throws(StorageError) in
                let row = try reader.database.session(body.session)
                return LoginCheck.check(body, against: row, relay: parts.secrets.relay, at: parts.clock.seconds)
            } then: { result in
                switch result {
                case .success: Self.advance(body, parts, reply)
                case .failure(let error): reply.send(.error(error))
                }
            }
        }
    }

    private static func advance(_ body: RefreshRequest, _ parts: RelayParts, _ reply: Answer) {
        parts.commits.perform { writer throws(StorageError) in
            try writer.refresh(body.session, presenting: [UInt8](body.refresh), keys: parts.secrets.refreshKeys)
        } then: { result in
            let tokens = result.flatMap {
                parts.tokens.issue(for: $0.address, session: body.session, refresh: $0.token)
            }
            reply.send(HTTPResponse(tokens.map { .json($0) }))
        }
    }

    /// `GET /v1/sessions`.
    func sessions(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        _ = try Query(request.target, names: [])
        parts.reads.perform { reader throws(StorageError) in
            .success(.json(SessionList(sessions: try reader.sessions(for: sender))))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `DELETE /v1/sessions/SESSION`.
    func endSession(_ session: SessionID, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .change)
        _ = try Query(request.target, names: [])
        parts.commits.perform { writer throws(StorageError) in
            try writer.end(session, by: sender)
        } then: {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/others`.
    func endOtherSessions(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .change)
        _ = try Query(request.target, names: [])
        parts.commits.perform { writer throws(StorageError) in
            try writer.endOthers(by: sender)
        } then: {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/current`. The same again is answered alike, although the access token is refused elsewhere by
    /// then.
    func logOut(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let field = request.fields.onlyValue(of: "Authorization")
        let sender = try parts.tokens.senderOfAnySession(authorization: field)
        _ = try Query(request.target, names: [])
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.commits.perform { writer throws(StorageError) in
            try writer.end(sender.session, of: address)
        } then: {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
