import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire

/// The relay's routes as functions. Every answer is checked for shape; what is in it is not believed here.
struct RelayClient: Sendable {
    private let http: HTTPClient
    private let endpoint: Endpoint
    private let authorityFile: String?
    private let base: String
    private let clock: WallClock
    private let clocks: ClockComparison
    private let limits: ClientLimits
    private let onWait: (@Sendable (String?) -> Void)?
    /// What the relay wants to see in the next proof: its own clock, in a form that only it can make.
    private let nonce = Lock<String?>(nil)

    /// Speaks to the relay at an address.
    ///
    /// - Parameters:
    ///   - authorityFile: the certificate authority to trust in the system's place.
    ///   - clock: this machine's.
    ///   - clocks: what it is held against each answer in.
    ///   - limits: how long it is waited for.
    ///   - onWait: told the address where an answer takes more than three seconds, and then `nil` when it is there.
    init(
        address: String,
        authorityFile: String?,
        clock: WallClock,
        clocks: ClockComparison = ClockComparison(),
        limits: ClientLimits = ClientLimits(),
        onWait: (@Sendable (String?) -> Void)? = nil
    ) throws(MessengerError) {
        guard let endpoint = Endpoint(address) else { throw .transport(.invalid("the relay's address \(address)")) }
        guard endpoint.isSecure || endpoint.isOnThisMachine else { throw .unprotected(address: address) }
        do throws(TransportError) {
            http = try HTTPClient(endpoint, tls: RelayClient.tls(authorityFile), limits: limits)
            self.endpoint = endpoint
            self.authorityFile = authorityFile
            base = endpoint.description
            self.clock = clock
            self.clocks = clocks
            self.limits = limits
            self.onWait = onWait
        } catch {
            throw .transport(error)
        }
    }

    /// Whom to trust.
    static func tls(_ authorityFile: String?) -> TLSClientConfiguration {
        TLSClientConfiguration(trust: authorityFile.map { .authorities(file: $0) } ?? .system)
    }

    // MARK: Accounts and sessions

    /// Who the relay is.
    func description() async throws(MessengerError) -> RelayDescription {
        try await ask(Routes.relay.at())
    }

    func loginParameters(for handle: Handle) async throws(MessengerError) -> LoginParameters {
        try await ask(Routes.login.at(handle))
    }

    func register(_ request: RegisterRequest, _ key: ProofKey) async throws(MessengerError) -> TokenAnswer {
        try await ask(Routes.register.at(), request, showing: .key(key))
    }

    func tokens(_ request: TokenRequest, _ key: ProofKey) async throws(MessengerError) -> TokenAnswer {
        try await ask(Routes.token.at(), request.form, showing: .key(key))
    }

    func logOut(_ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.logOut.at(), showing: access)
    }

    func account(_ handle: Handle, _ access: RelayAccess) async throws(MessengerError) -> AccountBundle {
        try await ask(Routes.account.at(handle), showing: access)
    }

    func renewDevice(
        _ request: RenewDeviceRequest,
        of handle: Handle,
        _ access: RelayAccess
    ) async throws(MessengerError) {
        try await ask(Routes.renewDevice.at(handle), request, showing: access)
    }

    // MARK: The owner's

    func sessions(_ access: RelayAccess) async throws(MessengerError) -> SessionList {
        try await ask(Routes.sessions.at(), showing: access)
    }

    func endSession(_ session: SessionID, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.endSession.at(session), showing: access)
    }

    func endOtherSessions(_ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.endOtherSessions.at(), showing: access)
    }

    func accountLog(_ access: RelayAccess) async throws(MessengerError) -> AuditLog {
        try await ask(Routes.accountLog.at(), showing: access)
    }

    func changePassword(_ request: PasswordRequest, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.changePassword.at(), request, showing: access)
    }

    func deleteAccount(_ request: DeletionRequest, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.deleteAccount.at(), request, showing: access)
    }

    func secondFactor(_ access: RelayAccess) async throws(MessengerError) -> SecondFactorState {
        try await ask(Routes.secondFactor.at(), showing: access)
    }

    func takeSecondFactor(
        _ proof: AccountProof,
        _ access: RelayAccess
    ) async throws(MessengerError) -> SecondFactorSecret {
        try await ask(Routes.takeSecondFactor.at(), proof, showing: access)
    }

    func confirmSecondFactor(
        _ request: ConfirmSecondFactorRequest,
        _ access: RelayAccess
    ) async throws(MessengerError) -> RecoveryCodes {
        try await ask(Routes.confirmSecondFactor.at(), request, showing: access)
    }

    func removeSecondFactor(_ proof: AccountProof, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.removeSecondFactor.at(), proof, showing: access)
    }

    // MARK: Rooms

    func room(_ room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> RoomState {
        try await ask(Routes.room.at(room), showing: access)
    }

    func messages(
        of room: RoomID,
        from number: UInt64,
        _ access: RelayAccess
    ) async throws(MessengerError) -> MessagePage {
        try await ask(Routes.messages.at(room, query: number), showing: access)
    }

    /// Tells the relay that this account has accepted a room.
    func acceptRoom(_ room: RoomID, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.acceptRoom.at(room), showing: access)
    }

    // MARK: Consent

    func putLink(_ link: LinkID, _ request: LinkRequest, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.putLink.at(link), request, showing: access)
    }

    func deleteLink(_ link: LinkID, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.deleteLink.at(link), showing: access)
    }

    func putStanding(
        _ standing: StandingID,
        _ request: StandingRequest,
        _ access: RelayAccess
    ) async throws(MessengerError) {
        try await ask(Routes.putStanding.at(standing), request, showing: access)
    }

    func deleteStanding(_ standing: StandingID, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.deleteStanding.at(standing), showing: access)
    }

    // MARK: Mailbox

    func mailbox(from number: UInt64, _ access: RelayAccess) async throws(MessengerError) -> MailboxPage {
        try await ask(Routes.mailbox.at(query: number), showing: access)
    }

    func dropMailbox(through number: UInt64, _ access: RelayAccess) async throws(MessengerError) {
        try await ask(Routes.dropMailbox.at(query: number), showing: access)
    }

    // MARK: Blobs

    func blob(_ blob: BlobID, of room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> BlobState {
        try await ask(Routes.blob.at(BlobPlace(room, blob)), showing: access)
    }

    func putPiece(
        _ piece: [UInt8],
        of blob: BlobID,
        size: Int,
        offset: Int,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> BlobState {
        try await ask(Routes.putPiece.at(BlobPlace(room, blob), query: (size, offset)), piece, showing: access)
    }

    func blobContent(
        _ blob: BlobID,
        of room: RoomID,
        offset: Int,
        count: Int,
        _ access: RelayAccess
    ) async throws(MessengerError) -> [UInt8] {
        let target = Routes.blobContent.at(BlobPlace(room, blob), query: (offset, count))
        let bytes = try await ask(target, showing: access)
        guard bytes.count == count else { throw .relayAnswer("a piece of a file has the wrong length") }
        return bytes
    }

    // MARK: Live

    /// Opens the connection over which the relay tells what happens.
    ///
    /// - Throws: `refused` with `unauthorized` where the relay does not take the token; `transport` for any other answer
    ///   than an open connection.
    func openSocket(_ access: RelayAccess) async throws(MessengerError) -> WebSocketConnection {
        do throws(MessengerError) {
            return try await attemptSocket(access)
        } catch .refused(let error) where error.code == .nonceNeeded {
            return try await attemptSocket(access)
        }
    }

    /// What asks for an open socket to stay open for as long as an access token lives.
    func renewal(_ access: RelayAccess) throws(MessengerError) -> LiveRequest {
        guard case .token(let token, _) = access else { throw .notLoggedIn }
        return .renew(access: token, proof: try fields(Routes.socket.at(), showing: access)["DPoP"])
    }

    private func attemptSocket(_ access: RelayAccess) async throws(MessengerError) -> WebSocketConnection {
        let fields = try fields(Routes.socket.at(), showing: access)
        do throws(TransportError) {
            guard let target = HTTPTarget(Routes.socket.path) else { throw .invalid("a path") }
            return try await WebSocketClient.connect(
                endpoint,
                target,
                fields: fields,
                tls: RelayClient.tls(authorityFile)
            )
        } catch {
            guard case .upgradeRefused(let response) = error, let refusal = refusal(response),
                [.unauthorized, .nonceNeeded].contains(refusal.code)
            else { throw .transport(addressed(error)) }
            takeNonce(of: response)
            throw .refused(refusal)
        }
    }

    // MARK: The exchange

    func ask<Answer>(
        _ target: RouteTarget<Void, Answer>,
        showing access: RelayAccess = .nothing
    ) async throws(MessengerError) -> Answer {
        try decode(try await exchange(target, showing: access), from: target)
    }

    func ask<Body, Answer>(
        _ target: RouteTarget<Body, Answer>,
        _ body: Body,
        showing access: RelayAccess
    ) async throws(MessengerError) -> Answer {
        let bytes: [UInt8]
        do { bytes = try target.body.encode(body) } catch { throw .relayAnswer("the request cannot be written") }
        return try decode(try await exchange(target, showing: access, body: bytes), from: target)
    }

    /// How often, and how many seconds each time, a relay that holds this client back is waited for.
    private static let patience = (times: 5, seconds: UInt64(5))

    /// - Parameter passing: the codes of refusals that are answers to the caller.
    func exchange<Body, Answer>(
        _ target: RouteTarget<Body, Answer>,
        showing access: RelayAccess = .nothing,
        body: [UInt8] = [],
        passing: Set<APIErrorCode> = []
    ) async throws(MessengerError) -> HTTPResponse {
        let wait = onWait.map { RelayWait.begin(for: base, telling: $0) }
        defer { wait?.end() }
        var (waits, nonces) = (Self.patience.times, 1)
        while true {
            do throws(MessengerError) {
                return try await attempt(target, showing: access, body: body, passing)
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                switch refusal.code {
                case .nonceNeeded where nonces > 0: nonces -= 1
                case .wrongCredentials: throw clockIsOff ?? error
                case .rateLimited where waits > 0:
                    waits -= 1
                    try await pause(refusal)
                default: throw error
                }
            }
        }
    }

    /// What is the cause where the relay does not take a proof and the clocks differ by more than it bears.
    private var clockIsOff: MessengerError? {
        guard let skew = clocks.skew, skew.seconds.magnitude > UInt64(DeviceProof.tolerance) else { return nil }
        return .clockIsOff(skew)
    }

    private func pause(_ refusal: APIError) async throws(MessengerError) {
        guard let seconds = refusal.number, seconds <= Self.patience.seconds else { throw .refused(refusal) }
        do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .transport(.cancelled) }
    }

    private func attempt<Body, Answer>(
        _ target: RouteTarget<Body, Answer>,
        showing access: RelayAccess,
        body: [UInt8],
        _ passing: Set<APIErrorCode>
    ) async throws(MessengerError) -> HTTPResponse {
        var fields = try fields(target, showing: access)
        if !body.isEmpty, let type = target.body.kind.type { fields.append("Content-Type", type) }
        let asked = clock.seconds
        let response: HTTPResponse
        do throws(TransportError) {
            guard let method = HTTPMethod(rawValue: target.method.rawValue), let place = HTTPTarget(target.text) else {
                throw .invalid("a path")
            }
            response = try await http.send(HTTPClientRequest(method, place, fields: fields, body: body))
        } catch {
            throw .transport(addressed(error))
        }
        clocks.take(response.fields["Date"], asked: asked, at: clock.seconds)
        takeNonce(of: response)
        guard (200..<300).contains(response.status) else {
            let refusal = try error(response, from: target)
            guard passing.contains(refusal.code) else { throw .refused(refusal) }
            return response
        }
        if case .nothing = access { return response }
        clocks.tell()
        return response
    }

    /// The same, with the address where the relay took too long, or hung up.
    private func addressed(_ error: TransportError) -> TransportError {
        switch error {
        case .closed: .unreachable(base, reason: "it ended the connection before it had answered")
        case .timedOut(let phase): .unreachable(base, reason: lateness(in: phase))
        default: error
        }
    }

    private func lateness(in phase: TransportError.Phase) -> String {
        switch phase {
        case .resolving: "its name was not found within \(limits.resolveTimeout.components.seconds) s"
        case .connecting, .handshake: "no connection within \(limits.connectTimeout.components.seconds) s"
        case .request, .response, .close: "no answer within \(limits.requestTimeout.components.seconds) s"
        }
    }

    private func takeNonce(of response: HTTPResponse) {
        if let next = response.fields["DPoP-Nonce"] { nonce.withLock { $0 = next } }
    }

    private func fields<Body, Answer>(
        _ target: RouteTarget<Body, Answer>,
        showing access: RelayAccess
    ) throws(MessengerError) -> HTTPFields {
        try access.fields(target.method, base + target.path, nonce: nonce.withLock { $0 }, at: clock.seconds)
    }

    private func error<Body, Answer>(
        _ response: HTTPResponse,
        from target: RouteTarget<Body, Answer>
    ) throws(MessengerError) -> APIError {
        if let refusal = refusal(response) {
            guard refusal.isWithinBounds else { throw .outOfBounds }
            return refusal
        }
        guard target.path == Routes.token.path,
            let answer = try? JSONDecoder().decode(TokenError.self, from: Data(response.body))
        else {
            throw .relayAnswer("status \(response.status) without an error this client knows")
        }
        return answer.apiError
    }

    private func refusal(_ response: HTTPResponse) -> APIError? {
        try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body)).error
    }

    func decode<Body, Answer>(
        _ response: HTTPResponse,
        from target: RouteTarget<Body, Answer>
    ) throws(MessengerError) -> Answer {
        do { return try target.answer.decode(response.body) } catch {
            throw error is OutOfBounds ? .outOfBounds : .relayAnswer("not the JSON it should be")
        }
    }
}

extension MessengerError {
    /// A number or a time that would not stay one if anything were added to it, or a name that cannot be kept.
    static let outOfBounds = MessengerError.relayAnswer("a number, a time or a name beyond all bounds")
}

extension Endpoint {
    /// Whether what is sent there does not leave this machine.
    var isOnThisMachine: Bool {
        host == "localhost" || SocketAddress(ip: host, port: port)?.isLoopback ?? false
    }
}
