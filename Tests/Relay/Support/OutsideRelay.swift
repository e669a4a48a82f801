import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// A relay in a process of its own, known by the line it prints.
struct OutsideRelay: Sendable {
    let endpoint: Endpoint
    let id: RelayID
    let client: HTTPClient

    /// Reads "listening on URL  relay ID".
    init(_ line: String, connections: Int = 16) throws {
        let words = line.split(separator: " ")
        guard words.count == 5, let endpoint = Endpoint(String(words[2])) else { throw TransportError.invalid(line) }
        self.endpoint = endpoint
        id = try RelayID(words[4])
        var limits = ClientLimits()
        limits.maxConnections = connections
        client = try HTTPClient(endpoint, limits: limits)
    }

    /// Registers somebody and returns their access token.
    func register(_ name: String) async throws -> String {
        let body = try Person.registration(name, relay: id).body
        return try await ask(Routes.register.at(), nil, body).value(SessionTokens.self).access
    }

    func ask<Body, Answer>(
        _ place: RouteTarget<Body, Answer>,
        _ token: String?,
        _ body: some Encodable
    ) async throws -> HTTPResponse {
        try await ask(place.http, place.text, token, bytes: [UInt8](JSONEncoder().encode(body)))
    }

    func ask<Answer>(_ place: RouteTarget<Void, Answer>, _ token: String?) async throws -> HTTPResponse {
        try await ask(place.http, place.text, token)
    }

    func ask(_ method: HTTPMethod, _ path: String, _ token: String?, bytes: [UInt8] = []) async throws -> HTTPResponse {
        guard let target = HTTPTarget(path) else { throw TransportError.invalid(path) }
        var fields = HTTPFields()
        if let token { fields.append("Authorization", "Bearer " + token) }
        return try await client.send(HTTPClientRequest(method, target, fields: fields, body: bytes))
    }
}
