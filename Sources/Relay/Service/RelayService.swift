import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// Answers the relay's requests. Lives on the server's loop: it parses and decides where to; what blocks goes elsewhere.
final class RelayService: HTTPHandler {
    let parts: RelayParts
    let hub: LiveHub
    private let book: RequestBook
    private let pages: StatusPages

    init(_ parts: RelayParts, hub: LiveHub) {
        self.parts = parts
        self.hub = hub
        book = RequestBook(metrics: parts.metrics, log: parts.log, logsAll: parts.logsRequests)
        pages = StatusPages(parts) { hub.assumeIsolated { $0.socketCount } }
    }

    /// Whether a connection may begin.
    func admits(_ peer: SocketAddress) -> Bool { parts.gate.admits(peer) }

    /// Answers a request.
    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        if let page = pages.answer(request) {
            reply.send(page)
            return
        }
        let route = Result { () throws(APIError) in try Route(path: request.target.path) }
        let reply = book.answer(reply, to: request.method, (try? route.get())?.kind)
        do throws(APIError) {
            try admit(.request, request)
            let route = try route.get()
            try checkSize(of: request, for: route)
            try dispatch(route, request, reply)
        } catch {
            var response = HTTPResponse.error(error)
            if error.code == .methodNotAllowed, let route = try? Route(path: request.target.path) {
                response.fields.append("Allow", route.methods.map(\.rawValue).joined(separator: ", "))
            }
            if error.code == .nonceNeeded { response.fields.append("DPoP-Nonce", parts.proofs.nonce) }
            reply.send(response)
        }
    }

    /// Answers the request for a socket.
    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        do throws(APIError) {
            guard try Route(path: request.target.path) == .socket else {
                throw APIError(.badRequest, "this route takes no upgrade")
            }
            _ = try Query(request.target, names: [])
            try admit(.request, request)
            let socket = hub.socket(for: try sender(of: request, for: .socket))
            parts.metrics.answered(.socket, status: 101)
            return .accept(socket)
        } catch {
            parts.metrics.answered(.socket, status: error.code.status)
            var response = HTTPResponse.error(error)
            if error.code == .nonceNeeded { response.fields.append("DPoP-Nonce", parts.proofs.nonce) }
            return .refuse(response, heldBackFor: response.pause)
        }
    }

    private func dispatch(_ route: Route, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        guard route.methods.contains(request.method) else {
            throw APIError(.methodNotAllowed, "this route does not take \(request.method.rawValue)")
        }
        switch route {
        case .relay: try describe(request, reply)
        case .document: try document(request, reply)
        case .login(let handle): try loginParameters(handle, request, reply)
        case .accounts: try register(request, reply)
        case .account(let handle): try account(handle, request, reply)
        case .devices(let handle): try renewDevice(of: handle, request, reply)
        case .sessions: try sessions(request, reply)
        case .token: tokens(request, reply)
        case .revocation: try revoke(request, reply)
        case .metadata: try metadata(request, reply)
        case .currentSession: try logOut(request, reply)
        case .otherSessions: try endOtherSessions(request, reply)
        case .session(let session): try endSession(session, request, reply)
        case .password: try changePassword(request, reply)
        case .deletion: try deleteAccount(request, reply)
        case .secondFactor where request.method == .post: try enrol(request, reply)
        case .secondFactor where request.method == .put: try confirm(request, reply)
        case .secondFactor: try secondFactor(request, reply)
        case .secondFactorRemoval: try removeSecondFactor(request, reply)
        case .accountLog: try accountLog(request, reply)
        case .rooms where request.method == .post: try createRoom(request, reply)
        case .rooms: try rooms(request, reply)
        case .room(let room): try self.room(room, request, reply)
        case .messages(let room) where request.method == .post: try send(to: room, request, reply)
        case .messages(let room): try messages(of: room, request, reply)
        case .blob(let room, let blob) where request.method == .put: try putPiece(of: blob, in: room, request, reply)
        case .blob(let room, let blob): try blobState(blob, in: room, request, reply)
        case .blobContent(let room, let blob): try blobContent(blob, in: room, request, reply)
        case .mailbox where request.method == .delete: try dropMailbox(request, reply)
        case .mailbox: try mailbox(request, reply)
        case .socket: throw APIError(.badRequest, "this route takes a WebSocket upgrade only")
        }
    }

    private func checkSize(of request: HTTPRequest, for route: Route) throws(APIError) {
        guard request.body.count <= route.maximumBody else {
            throw APIError(.tooLarge, "the body is longer than \(route.maximumBody) bytes")
        }
    }

    /// Who asks.
    func sender(of request: HTTPRequest) throws(APIError) -> Sender {
        try parts.tokens.sender(authorization: request.fields.onlyValue(of: "Authorization"), proving(request))
    }

    /// Looks for the proof that a request carries.
    func proving(_ request: HTTPRequest) -> AccessTokens.Proving {
        { [parts] token, known throws(APIError) in try parts.proofs.proof(of: request, token: token, knowing: known) }
    }

    /// Who asks, whose account is one of those that may still do this now.
    func sender(of request: HTTPRequest, for rule: RateRule) throws(APIError) -> Sender {
        let sender = try sender(of: request)
        try parts.gate.admit(rule, .account(sender.account))
        return sender
    }

    /// Lets a request through by the address it comes from.
    func admit(_ rule: RateRule, _ request: HTTPRequest) throws(APIError) {
        try parts.gate.admit(rule, request)
    }

    /// Reads the body, here or, when it is long, where it holds nobody up; then goes on here.
    func withBody<Value: Decodable & Sendable>(
        _ type: Value.Type,
        of request: HTTPRequest,
        _ reply: Answer,
        _ next: @escaping @Sendable (Value) throws(APIError) -> Void
    ) throws(APIError) {
        let body = request.body
        guard body.count > Self.longBody else { return try next(try JSONBody.decode(type, from: body)) }
        parts.reads.perform(weight: body.count) { _ throws(StorageError) in
            Result { () throws(APIError) in try JSONBody.decode(type, from: body) }
        } then: { result in
            do throws(APIError) {
                try next(try result.get())
            } catch {
                reply.send(.error(error))
            }
        }
    }

    /// A body that takes the loop longer than a short one's whole request.
    static let longBody = 16_384
}

/// What the service works with.
struct RelayParts: Sendable {
    let secrets: RelaySecrets
    let publicAddress: PublicAddress
    let proofs: ProofCheck
    let tokens: AccessTokens
    let commits: CommitQueue
    let reads: ReadQueue
    /// What catches sockets up: however much they ask, nobody else waits for it.
    let live: ReadQueue
    let blobs: BlobService
    let failedLogins: FailedLogins
    let gate: Gate
    let metrics: RelayMetrics
    let clock: WallClock
    let log: RelayLog
    let logsRequests: Bool

    /// What somebody shows of an account's second factor, to be looked at where it counts.
    func check(_ presented: PresentedFactor?, of address: MailboxAddress) -> FactorCheck {
        FactorCheck(address: address, presented: presented, keys: secrets.codeKeys)
    }

    /// Finishes what is under way and ends the threads. Called once.
    func stop() {
        blobs.stop()
        failedLogins.write()
        commits.stop()
        live.stop()
        reads.stop()
    }
}

extension Route {
    /// What it can be asked with.
    var methods: [HTTPMethod] {
        switch self {
        case .relay, .document, .login, .account, .accountLog, .sessions, .room, .blobContent, .socket, .metadata:
            [.get]
        case .accounts, .token, .revocation, .deletion, .secondFactorRemoval: [.post]
        case .currentSession, .otherSessions, .session: [.delete]
        case .devices, .password: [.put]
        case .rooms, .messages: [.get, .post]
        case .secondFactor: [.get, .post, .put]
        case .blob: [.get, .put]
        case .mailbox: [.get, .delete]
        }
    }

    /// The longest body, in bytes.
    var maximumBody: Int {
        switch self {
        case .blob: Limits.blobPiece
        case .messages: Limits.body
        case .accounts, .devices: Limits.accountBody
        case .token, .revocation, .rooms, .password, .deletion, .secondFactor, .secondFactorRemoval: Limits.shortBody
        default: 0
        }
    }
}
