import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire

/// A dishonest relay: an honest one, and something in front of it that changes its answers.
package final class TamperingProxy: HTTPHandler {
    /// Makes another answer of the relay's, by the path that was asked for.
    package typealias Rule = @Sendable (String, HTTPRequest, HTTPResponse) throws -> HTTPResponse

    private struct State {
        var rule: Rule?
        var liveRule: LiveLine.Rule?
        var refusesSockets = false
        var delay: Duration?
        /// The paths whose answers wait until they are let go.
        var isHeld: (@Sendable (String) -> Bool)?
        var held = 0
        var requests: [HTTPRequest] = []
        var sockets = 0
    }

    private let state = Lock(State())
    private let upstream: HTTPClient
    private let endpoint: Endpoint
    private let loop: EventLoop
    private let server = Lock<HTTPServer?>(nil)
    /// Its address.
    package let url: String

    private init(upstream: HTTPClient, at endpoint: Endpoint, loop: EventLoop, url: String) {
        self.upstream = upstream
        self.endpoint = endpoint
        self.loop = loop
        self.url = url
    }

    /// A proxy in front of a relay; it changes nothing until it is given a rule.
    package static func start(before relay: String) throws -> TamperingProxy {
        guard let endpoint = Endpoint(relay) else { throw CocoaError(.fileReadUnknown) }
        let loop = try EventLoop(name: "proxy")
        loop.start()
        let entrance = Entrance()
        let server = HTTPServer(loop: loop, address: .loopback(port: 0), handler: entrance)
        let address = try server.start()
        let proxy = TamperingProxy(
            upstream: try HTTPClient(endpoint),
            at: endpoint,
            loop: loop,
            url: "http://\(address)"
        )
        proxy.server.withLock { $0 = server }
        entrance.proxy.withLock { $0 = proxy }
        return proxy
    }

    /// Hands requests to a proxy that is made once the port is known.
    private final class Entrance: HTTPHandler {
        let proxy = Lock<TamperingProxy?>(nil)

        func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
            proxy.withLock { $0 }?.handle(request, reply)
        }

        func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
            proxy.withLock { $0 }?.upgrade(request) ?? .refuse(HTTPResponse(status: 502))
        }
    }

    /// Ends it; nobody answers at its address any more. What its rules hold on to goes: a house that one of them knows could not
    /// end otherwise, and another one would wait for its turn.
    package func stop() {
        behave()
        server.withLock { $0 }?.stop()
        loop.stop()
    }

    /// From here on answers are changed.
    package func tamper(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// From here on what is delivered live is changed.
    package func tamperLive(_ rule: @escaping LiveLine.Rule) { state.withLock { $0.liveRule = rule } }

    /// From here on no WebSocket comes through, as with a proxy that was not told to let them.
    package func refuseSockets() { state.withLock { $0.refusesSockets = true } }

    /// From here on answers come so much later.
    package func delay(by time: Duration) { state.withLock { $0.delay = time } }

    /// From here on answers to these paths do not come before `letGo()`.
    package func hold(_ isHeld: @escaping @Sendable (String) -> Bool) { state.withLock { $0.isHeld = isHeld } }

    /// Lets go of the answers that are held, and holds none from here on.
    package func letGo() { state.withLock { $0.isHeld = nil } }

    /// How many answers are held at present.
    package var held: Int { state.withLock { $0.held } }

    /// From here on the relay is honest.
    package func behave() {
        state.withLock {
            $0.rule = nil
            $0.liveRule = nil
        }
    }

    /// Forgets what was asked so far.
    package func forget() { state.withLock { $0.requests = [] } }

    /// How many sockets were opened through it.
    package var sockets: Int { state.withLock { $0.sockets } }

    /// What was sent to rooms since `forget()`: texts, proposals and commits.
    package var sends: [GroupSendRequest] {
        state.withLock { $0.requests }
            .filter { $0.method == .post && Routes.sendToGroup.names(in: $0.target.path) != nil }
            .compactMap { try? GroupSendRequest(wireBytes: $0.body) }
    }

    /// The Welcomes that were sent since `forget()`, each with the secrets of a room.
    package var welcomes: [[UInt8]] {
        sends.compactMap { request in
            guard case .commit(_, _, let welcome) = request.content, !welcome.isEmpty else { return nil }
            return welcome
        }
    }

    package func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        guard !state.withLock({ $0.refusesSockets }) else { return .refuse(HTTPResponse(status: 404)) }
        state.withLock { $0.sockets += 1 }
        return .accept(LiveLine(to: endpoint, request) { [self] in state.withLock { $0.liveRule } })
    }

    package func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        let (rule, delay) = state.withLock { state in
            state.requests.append(request)
            return (state.rule, state.delay)
        }
        Task {
            do {
                var fields = HTTPFields()
                for name in ["Authorization", "Content-Type", "DPoP"] {
                    if let value = request.fields[name] { fields.append(name, value) }
                }
                let answer = try await upstream.send(
                    HTTPClientRequest(request.method, request.target, fields: fields, body: request.body)
                )
                if let delay { try await Task.sleep(for: delay) }
                try await waitUntilLetGo(request.target.path)
                guard let rule else { return reply.send(answer) }
                return reply.send(try rule(request.target.path, request, answer))
            } catch {
                return reply.send(HTTPResponse(status: 502))
            }
        }
    }

    private func isHeld(_ path: String) -> Bool {
        guard let isHeld = state.withLock({ $0.isHeld }) else { return false }
        return isHeld(path)
    }

    private func waitUntilLetGo(_ path: String) async throws {
        guard isHeld(path) else { return }
        state.withLock { $0.held += 1 }
        defer { state.withLock { $0.held -= 1 } }
        while isHeld(path) { try await Task.sleep(for: .milliseconds(10)) }
    }
}

extension HTTPResponse {
    /// The same answer with other content, if it is one.
    package func changing<Value: Codable>(
        _ type: Value.Type,
        _ change: (inout Value) throws -> Void
    ) throws -> HTTPResponse {
        guard status == 200 || status == 201 else { return self }
        var value = try JSONDecoder().decode(type, from: Data(body))
        try change(&value)
        var answer = self
        answer.body = Array(try JSONEncoder().encode(value))
        return answer
    }
}

/// Whether a path is a route's.
package func ~= <Asker, Names, Query, Body, Value>(
    route: Route<Asker, Names, Query, Body, Value>,
    path: String
) -> Bool {
    route.names(in: path) != nil
}
