import MildamKeychain
import MildamSystem
import MildamTransport

/// A small server on this machine that one redirect of the browser comes to (RFC 8252, section 7.3): at 127.0.0.1, a port
/// that the system chooses, and one path.
///
/// The first request with the right `state` is the one; with another, or none, as any page in the browser could send it, a
/// request is refused and changes nothing, twenty times.
final class LoopbackRedirect: HTTPHandler {
    /// What the browser brought.
    struct Arrival: Sendable {
        let code: SecretValue?
        let error: String?
        let issuer: String?
    }

    private struct State {
        var arrival: CheckedContinuation<Arrival?, Never>?
        var isOver = false
        var refusals = 0
        var port: UInt16 = 0
    }

    /// The path that is listened at.
    static let path = "/callback"
    private static let patience = 20

    private let expected: String
    private let loop: EventLoop
    private let state = Lock(State())

    /// - Parameter state: what the right redirect brings along.
    init(state expected: String) throws(TransportError) {
        self.expected = expected
        loop = try EventLoop(name: "mildam-redirect")
    }

    /// Listens, shows `open` where, and waits.
    ///
    /// - Returns: what came, and where it came to; `nil` when it did not come in time, or the task was cancelled.
    func wait(
        within limit: Duration,
        clock: TokenClock,
        _ open: (_ redirect: String) throws(TokenError) -> Void
    ) async throws(TokenError) -> (arrival: Arrival, redirect: String)? {
        loop.start()
        defer { loop.stop() }
        let address = try listen()
        state.withLock { $0.port = address.port }
        let redirect = "http://\(address)\(LoopbackRedirect.path)"
        try open(redirect)
        let timer = Task {
            await clock.sleep(limit)
            self.finish(nil)
        }
        defer { timer.cancel() }
        let arrival = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.arrival = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume(returning: nil) }
            }
        } onCancel: {
            finish(nil)
        }
        // The page is to reach the browser before the server goes.
        if arrival != nil { try? await Task.sleep(for: .milliseconds(200)) }
        return arrival.map { ($0, redirect) }
    }

    private func listen() throws(TokenError) -> SocketAddress {
        var limits = ServerLimits()
        limits.maxConnections = 16
        limits.maxBodyBytes = 1024
        limits.maxBufferedBodyBytes = 64 << 10
        do throws(TransportError) {
            return try HTTPServer(loop: loop, address: .loopback(port: 0), limits: limits, handler: self).start()
        } catch {
            throw .noBrowser
        }
    }

    private func finish(_ arrival: Arrival?) {
        let continuation = state.withLock { state in
            defer { (state.arrival, state.isOver) = (nil, true) }
            return state.arrival
        }
        continuation?.resume(returning: arrival)
    }

    /// Answers the browser.
    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        let port = state.withLock(\.port)
        // A name that leads here by somebody's DNS is not this server.
        guard request.fields["Host"] == "127.0.0.1:\(port)" else { return refuse(reply, 400) }
        guard request.method == .get, request.target.path == LoopbackRedirect.path else { return refuse(reply, 404) }
        guard let items = request.target.queryItems, Set(items.map(\.name)).count == items.count else {
            return refuse(reply, 400)
        }
        let values = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value) })
        guard let given = values["state"], SecretValue(text: given).constantTimeEquals(SecretValue(text: expected))
        else {
            let isTooMuch = state.withLock { state in
                state.refusals += 1
                return state.refusals >= LoopbackRedirect.patience
            }
            if isTooMuch { finish(nil) }
            return refuse(reply, 400)
        }
        let code = values["code"].flatMap { $0.isEmpty ? nil : SecretValue(text: $0) }
        let text = code == nil ? "Nobody was signed in." : "You are signed in."
        reply.send(LoopbackRedirect.page(text + " You may close this window."))
        finish(Arrival(code: code, error: values["error"], issuer: values["iss"]))
    }

    private func refuse(_ reply: HTTPReply, _ status: Int) { reply.send(HTTPResponse(status: status)) }

    private static func page(_ text: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
            ],
            body: Array("<!doctype html><title>Mildam</title><p>\(text)</p>\n".utf8)
        )
    }
}
