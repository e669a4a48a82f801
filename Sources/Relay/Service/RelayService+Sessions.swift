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
            parts.reads.perform { reader throws(StorageError) in
                let row = try reader.login(body.handle, body.device)
                return LoginCheck.check(body, against: row, relay: parts.secrets.relay, at: parts.clock.seconds)
            } then: { result in
                switch result {
                case .success(let address): Self.beginSession(of: address, parts, reply)
                case .failure(let error): reply.send(.error(error))
                }
            }
        }
    }

    private static func beginSession(of address: MailboxAddress, _ parts: RelayParts, _ reply: Answer) {
        let refresh = SecureRandom.bytes(count: 32)
        let family = RefreshFamily(session: .random(), first: refresh, at: parts.clock.seconds)
        parts.commits.perform { writer throws(StorageError) in
            .success(try writer.begin(family, for: address))
        } then: { result in
            let tokens = result.flatMap { parts.tokens.issue(for: address, session: family.session, refresh: refresh) }
            reply.send(HTTPResponse(tokens.map { .json($0, status: 201) }))
        }
    }

    /// `POST /v1/sessions/refresh`.
    func refresh(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        _ = try Query(request.target, names: [])
        try admit(.login, request)
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

    /// `DELETE /v1/sessions/current`. Access tokens that the session was given live on until they run out.
    func logOut(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request)
        _ = try Query(request.target, names: [])
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.commits.perform { writer throws(StorageError) in
            try writer.end(sender.session, of: address)
        } then: {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
