import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import MildamWire

/// The relay's routes as functions. Every answer is checked for shape; what is in it is not believed here.
struct RelayClient: Sendable {
    private let http: HTTPClient

    /// Speaks to the relay at an address.
    ///
    /// - Parameter authorityFile: the certificate authority to trust in the system's place.
    init(address: String, authorityFile: String?) throws(MessengerError) {
        guard let endpoint = Endpoint(address) else { throw .transport(.invalid("the relay's address \(address)")) }
        guard endpoint.isSecure || endpoint.isOnThisMachine else { throw .unprotected(address: address) }
        do throws(TransportError) {
            http = try HTTPClient(endpoint, tls: RelayClient.tls(authorityFile))
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

    func register(_ request: RegisterRequest) async throws(MessengerError) -> SessionTokens {
        try await call(.post, .accounts, body: request)
    }

    func logIn(_ request: LoginRequest) async throws(MessengerError) -> SessionTokens {
        try await call(.post, .sessions, body: request)
    }

    func refresh(_ request: RefreshRequest) async throws(MessengerError) -> SessionTokens {
        try await call(.post, .refresh, body: request)
    }

    func logOut(_ token: String) async throws(MessengerError) {
        _ = try await exchange(.delete, .currentSession, token: token)
    }

    func account(_ handle: Handle, _ token: String) async throws(MessengerError) -> AccountBundle {
        try await get(.account(handle), token: token)
    }

    func renewDevice(
        _ request: RenewDeviceRequest,
        of handle: Handle,
        _ token: String
    ) async throws(MessengerError) {
        let json: Data
        do { json = try JSONEncoder().encode(request) } catch { throw .relayAnswer("the request cannot be written") }
        _ = try await exchange(.put, .devices(handle), token: token, body: Array(json))
    }

    // MARK: Rooms

    func createRoom(_ room: RoomID, _ token: String) async throws(MessengerError) -> RoomState {
        try await call(.post, .rooms, token: token, body: CreateRoomRequest(room: room))
    }

    func room(_ room: RoomID, _ token: String) async throws(MessengerError) -> RoomState {
        try await get(.room(room), token: token)
    }

    func send(_ request: SendRequest, to room: RoomID, _ token: String) async throws(MessengerError) -> SendReceipt {
        try await call(.post, .messages(room), token: token, body: request)
    }

    func messages(of room: RoomID, from number: UInt64, _ token: String) async throws(MessengerError) -> MessagePage {
        try await get(.messages(room), query: "from=\(number)", token: token)
    }

    // MARK: Mailbox

    func mailbox(from number: UInt64, _ token: String) async throws(MessengerError) -> MailboxPage {
        try await get(.mailbox, query: "from=\(number)", token: token)
    }

    func dropMailbox(through number: UInt64, _ token: String) async throws(MessengerError) {
        _ = try await exchange(.delete, .mailbox, query: "through=\(number)", token: token)
    }

    // MARK: Blobs

    func blob(_ blob: BlobID, of room: RoomID, _ token: String) async throws(MessengerError) -> BlobState {
        try await get(.blob(room, blob), token: token)
    }

    func putPiece(
        _ piece: [UInt8],
        of blob: BlobID,
        size: Int,
        offset: Int,
        in room: RoomID,
        _ token: String
    ) async throws(MessengerError) -> BlobState {
        let response = try await exchange(
            .put,
            .blob(room, blob),
            query: "size=\(size)&offset=\(offset)",
            token: token,
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
        _ token: String
    ) async throws(MessengerError) -> [UInt8] {
        let bytes = try await exchange(
            .get,
            .blobContent(room, blob),
            query: "offset=\(offset)&length=\(count)",
            token: token
        ).body
        guard bytes.count == count else { throw .relayAnswer("a piece of a file has the wrong length") }
        return bytes
    }

    // MARK: The exchange

    private func get<Answer: Decodable>(
        _ route: Route,
        query: String? = nil,
        token: String? = nil
    ) async throws(MessengerError) -> Answer {
        try decode(try await exchange(.get, route, query: query, token: token))
    }

    private func call<Answer: Decodable>(
        _ method: HTTPMethod,
        _ route: Route,
        token: String? = nil,
        body: some Encodable
    ) async throws(MessengerError) -> Answer {
        let json: Data
        do { json = try JSONEncoder().encode(body) } catch { throw .relayAnswer("the request cannot be written") }
        return try decode(try await exchange(method, route, token: token, body: Array(json)))
    }

    /// How often, and how many seconds each time, a relay that holds this client back is waited for.
    private static let patience = (times: 5, seconds: UInt64(5))

    private func exchange(
        _ method: HTTPMethod,
        _ route: Route,
        query: String? = nil,
        token: String? = nil,
        body: [UInt8] = [],
        type: String = "application/json"
    ) async throws(MessengerError) -> HTTPResponse {
        for _ in 0..<Self.patience.times {
            do throws(MessengerError) {
                return try await attempt(method, route, query: query, token: token, body: body, type: type)
            } catch .refused(let error) where error.code == .rateLimited {
                guard let seconds = error.number, seconds <= Self.patience.seconds else { throw .refused(error) }
                do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .transport(.cancelled) }
            }
        }
        return try await attempt(method, route, query: query, token: token, body: body, type: type)
    }

    private func attempt(
        _ method: HTTPMethod,
        _ route: Route,
        query: String?,
        token: String?,
        body: [UInt8],
        type: String
    ) async throws(MessengerError) -> HTTPResponse {
        var fields = HTTPFields()
        if let token { fields.append("Authorization", "Bearer \(token)") }
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
        guard (200..<300).contains(response.status) else {
            guard let answer = try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body)) else {
                throw .relayAnswer("status \(response.status) without an error this client knows")
            }
            throw .refused(answer.error)
        }
        return response
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
