import MildamRelayAPI
import MildamTransport

/// One open socket of a device. What it hears goes to the hub, on whose loop it lives.
final class LiveSocket: WebSocketHandler {
    /// Close codes of this protocol.
    enum Code {
        /// The access token ran out, or the session is over: come again with a fresh token.
        static let unauthorized: UInt16 = 4401
        /// The other end reads too slowly even to be told so.
        static let behind: UInt16 = 4408
        /// The account has as many sockets open as it may.
        static let tooMany: UInt16 = 4429
        /// Only text is spoken here (RFC 6455, section 7.4.1).
        static let unsupportedData: UInt16 = 1003
    }

    /// Who opened it.
    let sender: Sender
    private let hub: LiveHub

    init(for sender: Sender, hub: LiveHub) {
        self.sender = sender
        self.hub = hub
    }

    func opened(_ socket: WebSocket) {
        hub.assumeIsolated { $0.add(self, socket) }
    }

    func received(text: String, on socket: WebSocket) {
        hub.assumeIsolated { hub in
            do throws(APIError) {
                try hub.admit(self)
                hub.take(try JSONBody.decode(LiveRequest.self, from: Array(text.utf8)), from: self)
            } catch {
                hub.tell(.refused(error: error), to: self)
            }
        }
    }

    func received(binary: [UInt8], on socket: WebSocket) {
        socket.close(code: Code.unsupportedData, reason: "text only")
    }

    func closed(code: UInt16?, reason: String, on socket: WebSocket) {
        hub.assumeIsolated { $0.remove(self) }
    }
}
