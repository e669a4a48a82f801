import Foundation
import MildamRelay
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport

/// What stands between a client and a relay: it passes requests on, so that the relay does what they ask for, and gives
/// back as much of the token endpoint's answers as a test wants.
final class RelayGate: Sendable {
    /// How an answer says where it ends.
    enum Framing: CaseIterable, Sendable {
        case length, chunks
    }

    private struct State {
        var relay: HTTPClient
        var framing = Framing.length
        var limit: Int?
        var answerSize = 0
        var isHeld = false
        var held = 0
    }

    private let state: Lock<State>
    private let server: GateServer

    init(before relay: RelayServer) throws {
        let state = Lock(State(relay: try HTTPClient(Endpoint(relay.address))))
        self.state = state
        server = try GateServer { request in
            let isForTokens = request.target == Routes.token.path
            let (relay, framing) = state.withLock { ($0.relay, $0.framing) }
            guard let response = RelayGate.answer(of: relay, to: request) else { return [] }
            let answer = RelayGate.bytes(of: response, isForTokens ? framing : .length)
            guard isForTokens else { return [.send(answer)] }
            RelayGate.wait(state)
            return state.withLock { state in
                state.answerSize = answer.count
                return [.send(Array(answer.prefix(state.limit ?? .max)))]
            }
        }
    }

    /// Its address.
    var url: String { server.url("") }

    /// How many bytes the token endpoint's last answer had.
    var answerSize: Int { state.withLock(\.answerSize) }

    /// From here on the token endpoint's answers end after so many bytes.
    func cut(after count: Int, _ framing: Framing = .length) {
        state.withLock { ($0.limit, $0.framing) = (count, framing) }
    }

    /// From here on the token endpoint's answers wait, until they may go.
    func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    /// How many answers have waited.
    var held: Int { state.withLock(\.held) }

    /// From here on answers come whole.
    func open() { state.withLock { $0.limit = nil } }

    /// The relay is this one now.
    func lead(to relay: RelayServer) throws {
        let client = try HTTPClient(Endpoint(relay.address))
        state.withLock { $0.relay = client }
    }

    /// The gate has a thread for each connection: this one may wait.
    private static func wait(_ state: Lock<State>) {
        guard state.withLock(\.isHeld) else { return }
        state.withLock { $0.held += 1 }
        while state.withLock(\.isHeld) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private static func answer(of relay: HTTPClient, to request: GateRequest) -> HTTPResponse? {
        guard let method = HTTPMethod(rawValue: request.method), let target = HTTPTarget(request.target) else {
            return nil
        }
        var fields = HTTPFields()
        for name in ["authorization", "content-type", "dpop"] {
            if let value = request.fields[name] { fields.append(name, value) }
        }
        let sent = HTTPClientRequest(method, target, fields: fields, body: Array(request.body.utf8))
        // The gate has a thread for each connection: this one may wait.
        let (answer, isThere) = (Lock<HTTPResponse?>(nil), DispatchSemaphore(value: 0))
        Task {
            let response = try? await relay.send(sent)
            answer.withLock { $0 = response }
            isThere.signal()
        }
        isThere.wait()
        return answer.withLock { $0 }
    }

    private static func bytes(of response: HTTPResponse, _ framing: Framing) -> [UInt8] {
        var lines = ["HTTP/1.1 \(response.status) X", "Connection: close"]
        var body = response.body
        switch framing {
        case .length: lines.append("Content-Length: \(body.count)")
        case .chunks:
            lines.append("Transfer-Encoding: chunked")
            let chunk = { (part: ArraySlice<UInt8>) in
                Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8)
            }
            body = chunk(body.prefix(body.count / 2)) + chunk(body.dropFirst(body.count / 2)) + chunk([])
        }
        for field in response.fields.all
        where !["connection", "content-length", "transfer-encoding"].contains(field.name.lowercased()) {
            lines.append("\(field.name): \(field.value)")
        }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + body
    }
}
