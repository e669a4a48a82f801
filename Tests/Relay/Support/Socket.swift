import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

/// A socket that speaks the protocol.
struct Socket {
    let connection: WebSocketConnection
    var messages: WebSocketConnection.Messages.AsyncIterator
    /// What the relay has said first.
    private(set) var hello: LiveEvent?

    init(_ person: Person, token: String? = nil, limits: ClientLimits = .init()) async throws {
        let target = try #require(HTTPTarget("/v1/socket"))
        connection = try await WebSocketClient.connect(
            Endpoint(person.relay.server.address),
            target,
            fields: ["Authorization": "Bearer " + (token ?? person.token)],
            limits: limits
        )
        messages = connection.messages.makeAsyncIterator()
        // What comes first, unless the socket is closed at once: which store it is.
        hello = try await next()
    }

    func say(_ request: LiveRequest) async throws {
        try await connection.send(text: String(decoding: JSONEncoder().encode(request), as: UTF8.self))
    }

    mutating func next() async throws -> LiveEvent? {
        guard case .text(let text) = await messages.next() else { return nil }
        return try JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))
    }

    /// The numbers of the next messages; anything else is an error.
    mutating func numbers(_ count: Int) async throws -> [UInt64] {
        var numbers: [UInt64] = []
        while numbers.count < count {
            guard case .message(_, let message) = try await next() else { throw CancellationError() }
            numbers.append(message.number)
        }
        return numbers
    }
}
