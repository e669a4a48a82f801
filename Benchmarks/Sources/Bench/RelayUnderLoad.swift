import FoundationEssentials
import Glibc
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// A relay process of its own with one room and many members, each on a device that is logged in.
final class RelayUnderLoad {
    /// Somebody who can send.
    struct Member {
        let account: AccountID
        let token: String
    }

    /// "127.0.0.1:PORT".
    let authority: String
    let port: UInt16
    let room: RoomID
    let generation: UInt32
    let members: [Member]
    let endpoint: Endpoint
    let tls: TLSClientConfiguration
    /// The relay's database.
    let database: String
    private let process: Child

    /// Starts the program `program` on a new folder and fills it.
    ///
    /// - Parameters:
    ///   - pinned: whether it gets the first core and no other.
    ///   - certificate: serves TLS with it.
    init(
        _ program: String,
        folder: String,
        members count: Int,
        pinned: Bool = false,
        certificate: TestCertificate? = nil
    ) async throws {
        process = try Child(
            (pinned ? Cores.first([]) : [])
                + [program, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--no-rate-limits"]
                + (certificate.map { ["--certificate", $0.file, "--key", $0.key] } ?? [])
        )
        database = folder + "/relay.db"
        // "listening on URL  relay ID"
        let words = try process.line().split(separator: " ")
        guard words.count >= 3, let endpoint = Endpoint(String(words[2])) else {
            throw BenchError("the relay did not start")
        }
        authority = "\(endpoint.host):\(endpoint.port)"
        port = endpoint.port
        self.endpoint = endpoint
        tls = TLSClientConfiguration(trust: certificate.map { .authorities(file: $0.file) } ?? .system)
        let client = try HTTPClient(endpoint, tls: tls)
        defer { client.close() }

        let relay: RelayDescription = try await Self.call(client, Routes.relay.at(), nil, ())
        var members: [Member] = []
        for number in 0..<count { members.append(try await Self.register(number, at: relay.relay, client)) }
        let founder = members[0]
        let room = RoomID.random()
        let state: RoomState = try await Self.call(
            client,
            Routes.createRoom.at(),
            founder.token,
            CreateRoomRequest(room: room)
        )
        if count > 1 {
            let change = MembershipChange(action: .add, accounts: members.dropFirst().map(\.account), after: 0)
            let request = SendRequest(id: .random(), generation: state.generation, body: Data([1]), change: change)
            let _: SendReceipt = try await Self.call(
                client,
                Routes.send.at(room),
                founder.token,
                request
            )
        }
        self.room = room
        self.members = members
        generation = state.generation
    }

    deinit { process.stop() }

    /// How many messages the room has before anything is measured.
    var messages: Int { members.count > 1 ? 1 : 0 }

    /// Memory that the process has in use, in bytes.
    var residentBytes: Int {
        let text = (try? String(contentsOf: URL(filePath: "/proc/\(process.identifier)/statm"), encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// A whole request that sends `body`, and where in it the id stands: 26 characters, to be replaced in each send.
    func request(by member: Member, body: Data) -> (bytes: [UInt8], id: Int) {
        let json = Array(
            """
            {"id":"\(MessageID.random())","generation":\(generation),"epoch":0,"body":"\(body.base64EncodedString())"}
            """.utf8
        )
        let head = """
            POST \(Routes.send.at(room).path) HTTP/1.1\r\nHost: \(authority)\r\n\
            Authorization: Bearer \(member.token)\r\nContent-Type: application/json\r\n\
            Content-Length: \(json.count)\r\n\r\n
            """
        return (Array(head.utf8) + json, head.utf8.count + "{\"id\":\"".utf8.count)
    }

    private static func register(_ number: Int, at relay: RelayID, _ client: HTTPClient) async throws -> Member {
        let identity = Curve25519.Signing.PrivateKey()
        let keys = DeviceKeys()
        let account = AccountID.random()
        let handle = try Handle("member\(number)")
        let device = keys.record(relay: relay, account: account, notAfter: 4_000_000_000)
        let bundle = AccountBundle(
            account: Signed(
                AccountRecord(relay: relay, account: account, handle: handle, identityKey: identity.publicKey),
                by: identity
            ),
            list: Signed(DeviceList(relay: relay, account: account, number: 1, records: [device]), by: identity),
            devices: [Signed(device, by: identity)]
        )
        let authenticator = SecureRandom.data(count: 32)
        let time = WallClock.system.seconds
        let proof = SessionProof(
            .register,
            relay: relay,
            device: keys.device,
            time: time,
            presenting: Array(authenticator),
            boundTo: ""
        )
        let request = RegisterRequest(
            handle: handle,
            authenticator: authenticator,
            bundle: bundle,
            time: time,
            signature: keys.signing.signature(for: proof.signedBytes)
        )
        let tokens: TokenAnswer = try await call(client, Routes.register.at(), nil, request)
        return Member(account: account, token: tokens.accessToken)
    }

    private static func call<Body, Answer>(
        _ client: HTTPClient,
        _ place: RouteTarget<Body, Answer>,
        _ token: String? = nil,
        _ body: Body
    ) async throws -> Answer {
        guard let method = HTTPMethod(rawValue: place.method.rawValue), let target = HTTPTarget(place.text) else {
            throw BenchError("no path")
        }
        var fields = HTTPFields()
        if let token { fields.append("Authorization", "Bearer \(token)") }
        let content = try place.body.encode(body)
        let response = try await client.send(HTTPClientRequest(method, target, fields: fields, body: content))
        guard response.status < 300 else {
            throw BenchError("the relay answered \(response.status): \(String(decoding: response.body, as: UTF8.self))")
        }
        return try place.answer.decode(response.body)
    }
}
