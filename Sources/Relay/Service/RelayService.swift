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

    /// Whether a handshake may begin.
    func admitsHandshake(_ peer: SocketAddress) -> Bool { parts.gate.admitsHandshake(peer) }

    /// Answers a request.
    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        if pages.answer(request, reply) { return }
        let found = Result { () throws(APIError) in try RouteTable.find(request.target.path) }
        let place = (try? found.get())?.place
        let reply = book.answer(reply, to: request.method, place)
        do throws(APIError) {
            parts.registration.see(request)
            try admit(.request, request)
            let (place, match) = try found.get()
            guard request.body.count <= place.maximumBody else {
                throw APIError(.tooLarge, "the body is longer than \(place.maximumBody) bytes")
            }
            guard let handler = place.handler(of: request.method) else {
                throw APIError(.methodNotAllowed, "this route does not take \(request.method.rawValue)")
            }
            try handler.run(self, request, match, reply)
        } catch {
            var response = response(to: error)
            if error.code == .methodNotAllowed, let place {
                response.fields.append("Allow", place.methods.map(\.rawValue).joined(separator: ", "))
            }
            reply.send(response)
        }
    }

    /// Answers the request for a socket.
    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        let sockets = try? RouteTable.find(Routes.socket.path).place
        do throws(APIError) {
            guard try RouteTable.find(request.target.path).place === sockets else {
                throw APIError(.badRequest, "this route takes no upgrade")
            }
            try Routes.socket.query.read(request.target.queryItems)
            parts.registration.see(request)
            try admit(.request, request)
            let sender = try sender(of: request)
            try parts.gate.admit(.socket, .account(sender.account))
            let socket = hub.socket(for: sender)
            parts.metrics.answered(sockets, status: 101)
            return .accept(socket)
        } catch {
            parts.metrics.answered(sockets, status: error.code.status)
            let response = response(to: error)
            return .refuse(response, heldBackFor: response.pause)
        }
    }

    /// A refusal, with a nonce for whoever needs one in the next proof.
    func response(to error: APIError) -> HTTPResponse {
        var response = HTTPResponse.error(error)
        if error.code == .nonceNeeded { response.fields.append("DPoP-Nonce", parts.proofs.nonce) }
        return response
    }

    /// Who asks.
    func sender(of request: HTTPRequest) throws(APIError) -> Sender {
        try parts.tokens.sender(authorization: request.fields.onlyValue(of: "Authorization"), proving(request))
    }

    /// Looks for the proof that a request carries.
    func proving(_ request: HTTPRequest) -> AccessTokens.Proving {
        { [parts] token, known throws(APIError) in try parts.proofs.proof(of: request, token: token, knowing: known) }
    }

    /// Whose turn a request takes that names no account yet.
    func turn(of request: HTTPRequest, _ reply: Answer) -> Turn {
        Turn(payer: parts.gate.payer(of: request), client: reply.client)
    }

    /// Looks for the key that a stranger's request shows, where signatures are looked at, and goes on here with its
    /// thumbprint; `nil` for none.
    func withKey(
        of request: HTTPRequest,
        for turn: Turn,
        _ next: @escaping @Sendable (Result<String?, APIError>) -> Void
    ) {
        guard !request.fields.values(of: "DPoP").isEmpty else { return next(.success(nil)) }
        parts.checks.perform(for: turn, weight: request.body.count) { [parts] in
            Result { () throws(APIError) in try parts.proofs.proof(of: request)?.thumbprint }
        } then: {
            next($0)
        }
    }

    /// Lets a request through by the address it comes from.
    func admit(_ rule: RateRule, _ request: HTTPRequest) throws(APIError) {
        try parts.gate.admit(rule, request)
    }

    /// Reads the body, here or, when it is long, where it holds nobody up; then goes on here.
    func withBody<Asker, Names, Query, Body: Decodable & SendableMetatype>(
        of call: Call<Asker, Names, Query, Body>,
        for turn: Turn,
        _ next: @escaping @Sendable (Body) throws(APIError) -> Void
    ) throws(APIError) {
        let (body, reply) = (call.request.body, call.reply)
        guard body.count > Self.longBody else { return try next(try JSONBody.decode(Body.self, from: body)) }
        parts.bodies.perform(for: turn, weight: body.count) {
            Result { () throws(APIError) in try JSONBody.decode(Body.self, from: body) }
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
    /// What reads long bodies: however long the longest takes, no read waits for it.
    let bodies: CheckQueue
    /// What catches sockets up: however much they ask, nobody else waits for it.
    let live: ReadQueue
    /// Where signatures are looked at.
    let checks: CheckQueue
    let blobs: BlobService
    /// What looks at groups.
    let groups: GroupService
    /// What members have shown since the store was put back.
    let restoration: Restoration
    /// How far devices have read, until it is written down.
    let cursors: GatheredCursors
    let disk: DiskWatch
    let figures: StoreFigures
    let failedLogins: FailedLogins
    let loginFailures: LoginFailureLog
    let logins: LoginMemory
    let gate: Gate
    let registration: RegistrationGate
    /// Who may bring somebody into a room that does not know them.
    let requests: RequestPolicy
    let metrics: RelayMetrics
    let clock: WallClock
    let log: RelayLog
    /// Holds the log to its allowance.
    let limiter: LogLimiter
    let logsRequests: Bool

    /// What somebody shows of an account's second factor, to be looked at where it counts.
    func check(_ presented: PresentedFactor?, of address: MailboxAddress) -> FactorCheck {
        FactorCheck(address: address, presented: presented, keys: secrets.codeKeys)
    }

    /// Finishes what is under way and ends the threads. Called once.
    func stop() {
        blobs.stop()
        groups.stop()
        figures.stop()
        failedLogins.write()
        cursors.write()
        commits.stop()
        live.stop()
        bodies.stop()
        reads.stop()
        checks.stop()
        limiter.finish()
    }
}
