import MildamSystem

@testable import MildamTransport

/// A server for tests, on a loop of its own.
final class EchoServer: Sendable {
    let loop: EventLoop
    let server: HTTPServer
    let address: SocketAddress
    let handler = Handler()

    init(_ limits: ServerLimits = .init(), tls: TLSServerConfiguration? = nil) throws {
        loop = try EventLoop(name: "test-server")
        loop.start()
        server = HTTPServer(loop: loop, address: .loopback(port: 0), tls: tls, limits: limits, handler: handler)
        address = try server.start()
    }

    deinit {
        server.stop()
        loop.stop()
    }

    /// How many connections it has now.
    var connectionCount: Int {
        let counting = LoopAnswer(on: loop) { [loop] in
            loop.reactor.value.channels.filter { $0 is any OwnedConnection }.count
        }
        return counting.wait() ?? 0
    }

    /// Whether nothing of any connection is counted.
    var holdsNothing: Bool {
        let asking = LoopAnswer(on: loop) { [server] in server.isEmpty }
        return asking.wait() ?? false
    }

    /// Who works at its handshakes.
    var handshakes: HandshakeWorkers? {
        let asking = LoopAnswer(on: loop) { [server] in server.handshakes }
        return asking.wait() ?? nil
    }

    var endpoint: Endpoint { Endpoint(address) }

    final class Handler: HTTPHandler, WebSocketHandler {
        struct Kept {
            var replies: [HTTPReply] = []
            var sockets: [WebSocket] = []
            var closings: [UInt16?] = []
            var requestCount = 0
            var paths: [String] = []
            /// What was refused by the server itself: the status, and the target if there was one.
            var refused: [String] = []
        }

        let kept = Lock(Kept())
        /// How many handshakes were asked for, and how many may be.
        let handshakes = Lock((asked: 0, allowed: Int.max))

        func admitsHandshake(_ peer: SocketAddress) -> Bool {
            handshakes.withLock {
                $0.asked += 1
                return $0.asked <= $0.allowed
            }
        }

        func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
            kept.withLock {
                $0.requestCount += 1
                $0.paths.append(request.target.path)
            }
            switch request.target.path {
            case "/drop": break
            case "/keep": kept.withLock { $0.replies.append(reply) }
            case "/bad": reply.send(HTTPResponse(status: 200, fields: ["X": "a\r\nInjected: b"]))
            case "/empty": reply.send(HTTPResponse(status: 204))
            case let path where path.hasPrefix("/large/"):
                reply.send(
                    HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: Int(path.dropFirst(7)) ?? 0))
                )
            default:
                let fields: HTTPFields = ["X-Method": request.method.rawValue, "X-Target": "\(request.target)"]
                reply.send(HTTPResponse(status: 200, fields: fields, body: request.body))
            }
        }

        func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
            if request.target.path == "/later" {
                return .refuse(HTTPResponse(status: 429), heldBackFor: .milliseconds(500))
            }
            return request.target.path == "/ws"
                ? .accept(self) : .refuse(HTTPResponse(status: 401, body: Array("who are you?".utf8)))
        }

        func maximumBody(of request: HTTPRequest) -> Int? {
            request.method == .put && request.target.path == "/blob" && request.fields["X-May"] != nil ? 100_000 : nil
        }

        func refusal(_ status: Int, of request: HTTPRequest?) -> HTTPResponse {
            kept.withLock { $0.refused.append("\(status) \(request?.target.path ?? "-")") }
            return HTTPResponse(status: status, fields: ["X-Refused": "yes"], body: Array("no".utf8))
        }

        func opened(_ socket: WebSocket) {
            kept.withLock { $0.sockets.append(socket) }
        }

        func received(text: String, on socket: WebSocket) {
            if text == "close" { socket.close(code: 3000, reason: "as asked") } else { socket.send(text: text) }
        }

        func received(binary: [UInt8], on socket: WebSocket) {
            socket.send(binary: binary)
        }

        func closed(code: UInt16?, reason: String, on socket: WebSocket) {
            kept.withLock { $0.closings.append(code) }
        }
    }
}
