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
    /// What the relay wants to see in the next proof: its own clock, in a form that only it can make.
    private let nonce = Lock<String?>(nil)

    /// Speaks to the relay at an address.
    ///
    /// - Parameter authorityFile: the certificate authority to trust in the system's place.
    init(address: String, authorityFile: String?, clock: WallClock) throws(MessengerError) {
        guard let endpoint = Endpoint(address) else { throw .transport(.invalid("the relay's address \(address)")) }
        guard endpoint.isSecure || endpoint.isOnThisMachine else { throw .unprotected(address: address) }
        do throws(TransportError) {
            http = try HTTPClient(endpoint, tls: RelayClient.tls(authorityFile))
            self.endpoint = endpoint
            self.authorityFile = authorityFile
            base = endpoint.description
            self.clock = clock
        } catch {
            throw .transport(error)
        }
    }

    /// Whom to trust.
    static func tls(_ authorityFile: String?) -> TLSClientConfiguration {
        TLSClientConfiguration(trust: authorityFile.map { .authorities(file: $0) } ?? .system)
    }

    // MARK: Accounts and sessions

    /// Who the relay is, and the Date field of its answer.
    func description() async throws(MessengerError) -> (RelayDescription, date: String?) {
        let response = try await exchange(.get, .relay)
        return (try decode(response), response.fields["Date"])
    }

    func loginParameters(for handle: Handle) async throws(MessengerError) -> LoginParameters {
        try await get(.login(handle))
    }

    func register(_ request: RegisterRequest, _ key: ProofKey) async throws(MessengerError) -> TokenAnswer {
        try await call(.post, .accounts, showing: .key(key), body: request)
    }

    func tokens(_ request: TokenRequest, _ key: ProofKey) async throws(MessengerError) -> TokenAnswer {
        let response = try await exchange(
            .post,
            .token,
            showing: .key(key),
            body: Array(request.form.text.utf8),
            type: "application/x-www-form-urlencoded"
        )
        return try decode(response)
    }

    func logOut(_ access: RelayAccess) async throws(MessengerError) {
        _ = try await exchange(.delete, .currentSession, showing: access)
    }

    func account(_ handle: Handle, _ access: RelayAccess) async throws(MessengerError) -> AccountBundle {
        try await get(.account(handle), showing: access)
    }

    func renewDevice(
        _ request: RenewDeviceRequest,
        of handle: Handle,
        _ access: RelayAccess
    ) async throws(MessengerError) {
        try await put(.put, .devices(handle), showing: access, body: request)
    }

    // MARK: The owner's

    func sessions(_ access: RelayAccess) async throws(MessengerError) -> SessionList {
        try await get(.sessions, showing: access)
    }

    func endSession(_ session: SessionID, _ access: RelayAccess) async throws(MessengerError) {
        _ = try await exchange(.delete, .session(session), showing: access)
    }

    func endOtherSessions(_ access: RelayAccess) async throws(MessengerError) {
        _ = try await exchange(.delete, .otherSessions, showing: access)
    }

    func accountLog(_ access: RelayAccess) async throws(MessengerError) -> AuditLog {
        try await get(.accountLog, showing: access)
    }

    func changePassword(_ request: PasswordRequest, _ access: RelayAccess) async throws(MessengerError) {
        try await put(.put, .password, showing: access, body: request)
    }

    func deleteAccount(_ proof: AccountProof, _ access: RelayAccess) async throws(MessengerError) {
        try await put(.post, .deletion, showing: access, body: proof)
    }

    func secondFactor(_ access: RelayAccess) async throws(MessengerError) -> SecondFactorState {
        try await get(.secondFactor, showing: access)
    }

    func takeSecondFactor(
        _ proof: AccountProof,
        _ access: RelayAccess
    ) async throws(MessengerError) -> SecondFactorSecret {
        try await call(.post, .secondFactor, showing: access, body: proof)
    }

    func confirmSecondFactor(
        _ request: ConfirmSecondFactorRequest,
        _ access: RelayAccess
    ) async throws(MessengerError) -> RecoveryCodes {
        try await call(.put, .secondFactor, showing: access, body: request)
    }

    func removeSecondFactor(_ proof: AccountProof, _ access: RelayAccess) async throws(MessengerError) {
        try await put(.post, .secondFactorRemoval, showing: access, body: proof)
    }

    // MARK: Rooms

    func createRoom(_ room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> RoomState {
        try await call(.post, .rooms, showing: access, body: CreateRoomRequest(room: room))
    }

    func room(_ room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> RoomState {
        try await get(.room(room), showing: access)
    }

    func send(
        _ request: SendRequest,
        to room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> SendReceipt {
        try await call(.post, .messages(room), showing: access, body: request)
    }

    func messages(
        of room: RoomID,
        from number: UInt64,
        _ access: RelayAccess
    ) async throws(MessengerError) -> MessagePage {
        try await get(.messages(room), query: "from=\(number)", showing: access)
    }

    // MARK: Mailbox

    func mailbox(from number: UInt64, _ access: RelayAccess) async throws(MessengerError) -> MailboxPage {
        try await get(.mailbox, query: "from=\(number)", showing: access)
    }

    func dropMailbox(through number: UInt64, _ access: RelayAccess) async throws(MessengerError) {
        _ = try await exchange(.delete, .mailbox, query: "through=\(number)", showing: access)
    }

    // MARK: Blobs

    func blob(_ blob: BlobID, of room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> BlobState {
        try await get(.blob(room, blob), showing: access)
    }

    func putPiece(
        _ piece: [UInt8],
        of blob: BlobID,
        size: Int,
        offset: Int,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> BlobState {
        let response = try await exchange(
            .put,
            .blob(room, blob),
            query: "size=\(size)&offset=\(offset)",
            showing: access,
            body: piece,
            type: "application/octet-stream"
        )
        return try decode(response)
    }

    func blobContent(
        _ blob: BlobID,
        of room: RoomID,
        offset: Int,
        count: Int,
        _ access: RelayAccess
    ) async throws(MessengerError) -> [UInt8] {
        let bytes = try await exchange(
            .get,
            .blobContent(room, blob),
            query: "offset=\(offset)&length=\(count)",
            showing: access
        ).body
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
        return .renew(access: token, proof: try fields(.get, .socket, showing: access)["DPoP"])
    }

    private func attemptSocket(_ access: RelayAccess) async throws(MessengerError) -> WebSocketConnection {
        let fields = try fields(.get, .socket, showing: access)
        do throws(TransportError) {
            guard let target = HTTPTarget(Route.socket.path) else { throw .invalid("a path") }
            return try await WebSocketClient.connect(
                endpoint,
                target,
                fields: fields,
                tls: RelayClient.tls(authorityFile)
            )
        } catch {
            guard case .upgradeRefused(let response) = error, let refusal = refusal(response),
                [.unauthorized, .nonceNeeded].contains(refusal.code)
            else { throw .transport(error) }
            takeNonce(of: response)
            throw .refused(refusal)
        }
    }

    // MARK: The exchange

    private func get<Answer: Decodable>(
        _ route: Route,
        query: String? = nil,
        showing access: RelayAccess = .nothing
    ) async throws(MessengerError) -> Answer {
        try decode(try await exchange(.get, route, query: query, showing: access))
    }

    private func call<Answer: Decodable>(
        _ method: HTTPMethod,
        _ route: Route,
        showing access: RelayAccess = .nothing,
        body: some Encodable
    ) async throws(MessengerError) -> Answer {
        try decode(try await exchange(method, route, showing: access, body: try encode(body)))
    }

    private func put(
        _ method: HTTPMethod,
        _ route: Route,
        showing access: RelayAccess,
        body: some Encodable
    ) async throws(MessengerError) {
        _ = try await exchange(method, route, showing: access, body: try encode(body))
    }

    private func encode(_ body: some Encodable) throws(MessengerError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(body)) } catch {
            throw .relayAnswer("the request cannot be written")
        }
    }

    /// How often, and how many seconds each time, a relay that holds this client back is waited for.
    private static let patience = (times: 5, seconds: UInt64(5))

    private func exchange(
        _ method: HTTPMethod,
        _ route: Route,
        query: String? = nil,
        showing access: RelayAccess = .nothing,
        body: [UInt8] = [],
        type: String = "application/json"
    ) async throws(MessengerError) -> HTTPResponse {
        var (waits, nonces) = (Self.patience.times, 1)
        while true {
            do throws(MessengerError) {
                return try await attempt(method, route, query: query, showing: access, body: body, type: type)
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                switch refusal.code {
                case .nonceNeeded where nonces > 0: nonces -= 1
                case .rateLimited where waits > 0:
                    waits -= 1
                    try await pause(refusal)
                default: throw error
                }
            }
        }
    }

    private func pause(_ refusal: APIError) async throws(MessengerError) {
        guard let seconds = refusal.number, seconds <= Self.patience.seconds else { throw .refused(refusal) }
        do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .transport(.cancelled) }
    }

    private func attempt(
        _ method: HTTPMethod,
        _ route: Route,
        query: String?,
        showing access: RelayAccess,
        body: [UInt8],
        type: String
    ) async throws(MessengerError) -> HTTPResponse {
        var fields = try fields(method, route, showing: access)
        if !body.isEmpty { fields.append("Content-Type", type) }
        let response: HTTPResponse
        do throws(TransportError) {
            guard let target = HTTPTarget(query.map { "\(route.path)?\($0)" } ?? route.path) else {
                throw .invalid("a path")
            }
            response = try await http.send(HTTPClientRequest(method, target, fields: fields, body: body))
        } catch {
            throw .transport(error)
        }
        takeNonce(of: response)
        guard (200..<300).contains(response.status) else { throw .refused(try error(response, route)) }
        return response
    }

    private func takeNonce(of response: HTTPResponse) {
        if let next = response.fields["DPoP-Nonce"] { nonce.withLock { $0 = next } }
    }

    private func fields(
        _ method: HTTPMethod,
        _ route: Route,
        showing access: RelayAccess
    ) throws(MessengerError) -> HTTPFields {
        try access.fields(method, base + route.path, nonce: nonce.withLock { $0 }, at: clock.seconds)
    }

    private func error(_ response: HTTPResponse, _ route: Route) throws(MessengerError) -> APIError {
        if let refusal = refusal(response) { return refusal }
        guard route == .token, let answer = try? JSONDecoder().decode(TokenError.self, from: Data(response.body)) else {
            throw .relayAnswer("status \(response.status) without an error this client knows")
        }
        return answer.apiError
    }

    private func refusal(_ response: HTTPResponse) -> APIError? {
        try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body)).error
    }

    private func decode<Answer: Decodable>(_ response: HTTPResponse) throws(MessengerError) -> Answer {
        do { return try JSONDecoder().decode(Answer.self, from: Data(response.body)) } catch {
            throw .relayAnswer("not the JSON it should be")
        }
    }
}

extension Endpoint {
    /// Whether what is sent there does not leave this machine.
    var isOnThisMachine: Bool {
        host == "localhost" || SocketAddress(ip: host, port: port)?.isLoopback ?? false
    }
}
