import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport

@testable import MildamRelay

/// A relay on loopback in a folder of its own, with a clock that the test moves.
final class TestRelay: Sendable {
    let folder: TemporaryFolder
    let server: RelayServer
    let client: HTTPClient
    /// What it logs once it runs.
    let lines = Lock<[String]>([])
    private let offset: Lock<Int64>
    private let logins = Lock<Set<Int64>>([])

    init(
        folder: TemporaryFolder? = nil,
        connections: Int = 16,
        configure: (inout RelayConfiguration) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let offset = Lock<Int64>(0)
        let lines = lines
        var configuration = RelayConfiguration(dataFolder: folder.path + "/data", address: .loopback(port: 0))
        configuration.clock = WallClock { WallClock.system.milliseconds + offset.withLock { $0 } }
        if StoreUnderTest.chosen != .sqlite { configuration.store = StoreUnderTest.chosen.store }
        configuration.log = RelayLog { entry in
            if entry.event != RelayServer.started { lines.withLock { $0.append(entry.line) } }
        }
        configuration.registration = .open
        configure(&configuration)
        self.folder = folder
        self.offset = offset
        server = try RelayServer(configuration)
        var limits = ClientLimits()
        limits.maxConnections = connections
        client = try HTTPClient(Endpoint(server.address), limits: limits)
    }

    /// Seconds since 1970, as the relay has it.
    var now: Int64 { WallClock.system.seconds + offset.withLock { $0 } / 1000 }

    /// A time for a login, within what the relay takes for now: the latest that no login had, for no two may be the same.
    var loginTime: Int64 {
        let now = now
        return logins.withLock { taken in
            let time = (0...).lazy.map { now - $0 }.first { !taken.contains($0) } ?? now
            taken.insert(time)
            return time
        }
    }

    /// Lets time pass.
    func advance(seconds: Int64) { offset.withLock { $0 += seconds * 1000 } }

    /// Asks for something.
    func ask(
        _ method: HTTPMethod,
        _ target: String,
        token: String? = nil,
        fields: HTTPFields = [:],
        body: [UInt8] = []
    ) async throws -> HTTPResponse {
        guard let target = HTTPTarget(target) else { throw TransportError.invalid(target) }
        var fields = fields
        if let token { fields.append("Authorization", "Bearer " + token) }
        return try await client.send(HTTPClientRequest(method, target, fields: fields, body: body))
    }

    /// Asks for tokens.
    func ask(_ request: TokenRequest, fields: HTTPFields = [:]) async throws -> HTTPResponse {
        var fields = fields
        fields.append("Content-Type", "application/x-www-form-urlencoded")
        return try await ask(.post, Routes.token.path, fields: fields, body: Array(request.form.text.utf8))
    }

    /// Asks with a value as the body.
    func ask<Body, Answer>(
        _ place: RouteTarget<Body, Answer>,
        token: String? = nil,
        _ body: some Encodable
    ) async throws -> HTTPResponse {
        try await ask(place.http, place.text, token: token, body: [UInt8](JSONEncoder().encode(body)))
    }

    /// Where a blob's bytes are.
    func file(of blob: BlobID, in room: RoomID) -> String {
        folder.path + "/data/blobs/\(blob.description.prefix(2))/\(room)-\(blob)"
    }

    /// Where its database is, on a store that has one.
    var databasePath: String { folder.path + "/data/relay.db" }

    /// The rows of its store, as text.
    func dump() throws -> [String] { try allRows().lines }

    /// Every row of its store.
    func allRows() throws -> StoreDump { try StoreUnderTest.chosen.dump(at: databasePath) }

    /// The store itself, once the relay has stopped.
    func transactor() throws -> Transactor { try Transactor(StoreUnderTest.chosen.store(at: databasePath)) }
}

extension RouteTarget {
    /// The method, as a client sends it.
    var http: HTTPMethod { HTTPMethod(rawValue: method.rawValue) ?? .get }
}

extension HTTPResponse {
    /// The body as a value.
    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    /// The error that it is; `nil` for anything else.
    var apiError: APIError? {
        (try? value(APIErrorBody.self).error) ?? (try? value(TokenError.self).apiError)
    }
}
