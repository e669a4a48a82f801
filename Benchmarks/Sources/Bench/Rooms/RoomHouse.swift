import FoundationEssentials
import Glibc
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import MildamWire
import RoomLoad

/// A relay process without limits of rates, and people on it whose groups this program has.
final class RoomHouse: Sendable {
    /// Somebody who can ask for things.
    struct Resident: Sendable {
        let member: RoomMember
        let token: String
    }

    let relay: RelayID
    let url: String
    let endpoint: Endpoint
    let tls: TLSClientConfiguration
    let database: String
    private let process: Child
    private let client: HTTPClient

    /// Starts the program `program` on a new folder.
    ///
    /// - Parameters:
    ///   - pinned: whether it gets the first core and no other.
    ///   - certificate: serves TLS with it.
    init(
        _ program: String,
        folder: String,
        pinned: Bool = false,
        certificate: TestCertificate? = nil
    ) async throws {
        let process = try Child(
            (pinned ? Cores.first([]) : [])
                + [program, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--no-rate-limits"]
                + (certificate.map { ["--certificate", $0.file, "--key", $0.key] } ?? [])
        )
        // "listening on URL  relay ID"
        let words = try process.line().split(separator: " ")
        guard words.count >= 3, let endpoint = Endpoint(String(words[2])) else {
            throw BenchError("the relay did not start")
        }
        let tls = TLSClientConfiguration(trust: certificate.map { .authorities(file: $0.file) } ?? .system)
        let client = try HTTPClient(endpoint, tls: tls)
        let description: RelayDescription = try await Self.call(client, Routes.relay.at(), nil, ())
        self.process = process
        self.client = client
        self.endpoint = endpoint
        self.tls = tls
        relay = description.relay
        url = String(words[2])
        database = folder + "/relay.db"
    }

    deinit {
        client.close()
        process.stop()
    }

    /// "127.0.0.1:PORT".
    var authority: String { "\(endpoint.host):\(endpoint.port)" }
    var port: UInt16 { endpoint.port }

    /// Memory that the process has in use, in bytes.
    var residentBytes: Int {
        let text = (try? String(contentsOf: URL(filePath: "/proc/\(process.identifier)/statm"), encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    // MARK: People

    /// Somebody new.
    func register(_ name: String) async throws -> Resident {
        let member = try RoomMember(name, on: relay)
        let authenticator = SecureRandom.data(count: 32)
        let time = WallClock.system.seconds
        let proof = SessionProof(
            .register,
            relay: relay,
            device: member.keys.device,
            time: time,
            presenting: Array(authenticator),
            boundTo: ""
        )
        let request = RegisterRequest(
            handle: member.handle,
            authenticator: authenticator,
            bundle: member.bundle,
            time: time,
            signature: member.keys.signing.signature(for: proof.signedBytes)
        )
        let tokens: TokenAnswer = try await ask(Routes.register.at(), nil, request)
        return Resident(member: member, token: tokens.accessToken)
    }

    /// People, by the first letters of their names.
    func register(_ name: String, count: Int) async throws -> [Resident] {
        var residents: [Resident] = []
        for number in 0..<count { residents.append(try await register("\(name)\(number)")) }
        return residents
    }

    /// A key package of somebody who has a client of their own, once it has published some.
    func claim(_ handle: Handle, for room: RoomID, by resident: Resident) async throws -> KeyPackage {
        for _ in 0..<300 {
            let request = ClaimRequest(id: .random(), room: room)
            let claimed = try? await ask(Routes.claimKeyPackages.at(handle), resident, request)
            if let bytes = claimed?.entries.first?.keyPackage,
                case .keyPackage(let package) = try MLSMessage(wireBytes: bytes)
            {
                return package
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchError("\(handle) has no key packages")
    }

    // MARK: Groups

    /// Makes the room of a group that begins.
    func make(_ room: RoomID, of group: Group, by resident: Resident) async throws {
        let info = MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes
        let request = CreateGroupRequest(groupInfo: info, ratchetTree: group.ratchetTree)
        let _: RoomState = try await ask(Routes.createGroup.at(room), resident, request)
    }

    /// How commits of rooms are made.
    static func options(adding packages: [KeyPackage] = []) -> CommitOptions {
        var options = CommitOptions()
        options.proposals = packages.map(Proposal.add)
        options.framing = .publicMessage
        options.authenticatedData = CommitReason().wireBytes
        options.sendsTree = false
        options.sendsGroupInfo = true
        return options
    }

    /// What is sent for a commit that this group has just made, and merges.
    static func commit(_ group: inout Group, adding packages: [KeyPackage] = []) throws -> GroupSendRequest {
        let epoch = group.publicGroup.context.epoch
        let made = try group.commit(options(adding: packages))
        try group.mergeStagedCommit()
        let content = GroupSendRequest.Content.commit(
            made.commit.wireBytes,
            groupInfo: made.groupInfo?.wireBytes ?? [],
            welcome: made.welcome?.wireBytes ?? []
        )
        return GroupSendRequest(id: .random(), generation: 0, epoch: epoch, seen: 0, content: content)
    }

    /// Sends something to a room's group.
    func send(_ request: GroupSendRequest, to room: RoomID, by resident: Resident) async throws {
        let _: SendReceipt = try await ask(Routes.sendToGroup.at(room), resident, request)
    }

    /// The last Welcome in somebody's mailbox, and the tree of its epoch.
    func welcome(of resident: Resident) async throws -> (item: WelcomeItem, tree: [UInt8]) {
        let page: MailboxPage = try await ask(Routes.mailbox.at(query: 1), resident, ())
        guard let last = page.items.last(where: { $0.kind == .welcome }) else { throw BenchError("nobody was welcome") }
        let item = try WelcomeItem(wireBytes: [UInt8](last.body))
        let place = Routes.groupTree.at(last.room, query: (Int(item.generation), Int(item.epoch)))
        return (item, try await ask(place, resident, ()))
    }

    /// What somebody was welcomed to.
    static func join(
        _ welcomed: (item: WelcomeItem, tree: [UInt8]),
        with bundle: KeyPackageBundle
    ) throws -> Group {
        guard case .welcome(let welcome) = try MLSMessage(wireBytes: welcomed.item.welcome) else {
            throw BenchError("a Welcome is none")
        }
        return try Group(
            joining: welcome,
            with: bundle,
            ratchetTree: welcomed.tree,
            environment: RoomMember.environment,
            isKnown: { _ in false }
        )
    }

    // MARK: What the relay says of itself

    /// How many proposals, commits and groups were looked at, and for how many seconds.
    func checks() async throws -> (count: Double, seconds: Double) {
        guard let target = HTTPTarget("/metrics") else { throw BenchError("no path") }
        let page = String(decoding: try await client.send(HTTPClientRequest(.get, target)).body, as: UTF8.self)
        func value(_ name: String) throws -> Double {
            let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            guard let number = line.flatMap({ Double($0.dropFirst(name.count + 1)) }) else {
                throw BenchError("the relay does not say \(name)")
            }
            return number
        }
        return (
            try value("mildam_group_check_seconds_count"), try value("mildam_group_check_seconds_sum")
        )
    }

    /// The rows of the relay's store, a line each.
    func rows() throws -> Set<Substring> {
        let dump = try Child.output(of: ["sqlite3", "-readonly", database, ".dump"])
        return Set(dump.split(separator: "\n").filter { $0.hasPrefix("INSERT INTO") })
    }

    // MARK: Asking

    /// Asks for something, as somebody.
    func ask<Body, Answer>(
        _ place: RouteTarget<Body, Answer>,
        _ resident: Resident?,
        _ body: Body
    ) async throws -> Answer {
        try await Self.call(client, place, resident?.token, body)
    }

    /// The whole of a request that sends something to a group, and where in it the message's id is.
    func request(
        _ content: GroupSendRequest,
        to room: RoomID,
        by resident: Resident
    ) throws -> (bytes: [UInt8], id: Int) {
        let body = content.wireBytes
        let head = """
            POST \(Routes.sendToGroup.at(room).path) HTTP/1.1\r\nHost: \(authority)\r\n\
            Authorization: Bearer \(resident.token)\r\nContent-Length: \(body.count)\r\n\r\n
            """
        let id = content.id.bytes
        guard let place = body.indices.first(where: { body[$0...].starts(with: id) }) else {
            throw BenchError("a request without its id")
        }
        return (Array(head.utf8) + body, head.utf8.count + place)
    }

    private static func call<Body, Answer>(
        _ client: HTTPClient,
        _ place: RouteTarget<Body, Answer>,
        _ token: String?,
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
