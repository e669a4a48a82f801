import MildamTransport

/// Sends everything back. "/large/N" is answered with N bytes.
final class Echo: HTTPHandler, WebSocketHandler {
    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        let fields: HTTPFields = ["X-Method": request.method.rawValue, "X-Target": "\(request.target)"]
        let parts = request.target.segments ?? []
        if parts.count == 2, parts[0] == "large", let count = Int(parts[1]), (0...(1 << 24)).contains(count) {
            reply.send(HTTPResponse(status: 200, fields: fields, body: [UInt8](repeating: 0x61, count: count)))
        } else {
            reply.send(HTTPResponse(status: 200, fields: fields, body: request.body))
        }
    }

    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade { .accept(self) }

    func opened(_ socket: WebSocket) {}

    func received(text: String, on socket: WebSocket) {
        socket.send(text: text)
    }

    func received(binary: [UInt8], on socket: WebSocket) {
        socket.send(binary: binary)
    }

    func closed(code: UInt16?, reason: String, on socket: WebSocket) {}
}
