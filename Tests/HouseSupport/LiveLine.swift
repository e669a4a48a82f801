import Foundation
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// A socket through the dishonest relay: what the client says goes on as it is, what the relay says may be changed.
package final class LiveLine: WebSocketHandler {
    /// Makes what the client hears of one event.
    package typealias Rule = @Sendable (LiveEvent) throws -> [LiveEvent]

    private let endpoint: Endpoint
    private let request: HTTPRequest
    private let rule: @Sendable () -> Rule?
    private let said = AsyncStream<String>.makeStream()
    private let upstream = Lock<WebSocketConnection?>(nil)

    package init(to endpoint: Endpoint, _ request: HTTPRequest, rule: @escaping @Sendable () -> Rule?) {
        self.endpoint = endpoint
        self.request = request
        self.rule = rule
    }

    package func opened(_ socket: WebSocket) {
        Task {
            defer { socket.close() }
            let connection = try await WebSocketClient.connect(
                endpoint,
                request.target,
                fields: ["Authorization": request.fields["Authorization"] ?? "", "DPoP": request.fields["DPoP"] ?? ""]
            )
            upstream.withLock { $0 = connection }
            let speaking = Task { for await text in said.stream { try await connection.send(text: text) } }
            defer { speaking.cancel() }
            for await message in connection.messages {
                guard case .text(let text) = message else { continue }
                guard let rule = rule() else {
                    socket.send(text: text)
                    continue
                }
                for event in try rule(try JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))) {
                    socket.send(text: String(decoding: try JSONEncoder().encode(event), as: UTF8.self))
                }
            }
        }
    }

    package func received(text: String, on socket: WebSocket) { said.continuation.yield(text) }

    package func received(binary: [UInt8], on socket: WebSocket) { socket.close() }

    package func closed(code: UInt16?, reason: String, on socket: WebSocket) {
        said.continuation.finish()
        upstream.withLock { $0 }?.close()
    }
}
