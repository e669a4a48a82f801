/// An HTTP/1.1 client of one server: keeps connections and uses them again.
public final class HTTPClient: Sendable {
    /// The server.
    public let endpoint: Endpoint
    private let limits: ClientLimits
    private let loop: EventLoop
    private let pool: LoopBound<ClientPool>

    /// Makes a client; nothing is connected before the first request.
    ///
    /// - Parameter tls: used with an `https` endpoint only.
    /// - Throws: `tls` when an authority file cannot be used, `system` when there are no descriptors left.
    public init(
        _ endpoint: Endpoint,
        tls: TLSClientConfiguration = .init(),
        limits: ClientLimits = .init()
    ) throws(TransportError) {
        self.endpoint = endpoint
        self.limits = limits
        loop = try ClientLoop.shared.get()
        let context = try TLSContext.make(tls, for: endpoint)
        pool = LoopBound(ClientPool(endpoint, tls: context, limits: limits, loop: loop), on: loop.thread)
    }

    deinit {
        loop.execute { [pool] in pool.value.close() }
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// A request is sent a second time only when it is idempotent and a kept connection turned out to have been closed
    /// before any byte of an answer.
    ///
    /// - Throws: `unreachable`, `timedOut`, `tls`, `protocolViolation`, `limitExceeded`, `closed` when the connection
    ///   ended before the answer, `cancelled`, or `invalid` for a field that may not be sent.
    public func send(_ request: HTTPClientRequest) async throws(TransportError) -> HTTPResponse {
        guard let encoded = HTTPEncoder.encode(request, host: endpoint.authority) else {
            throw .invalid("header field")
        }
        let (loop, pool, timeout) = (loop, pool, limits.requestTimeout)
        let ticket = Ticket<HTTPResponse>(on: loop)
        return try await ticket.wait { done in
            let deadline = Monotonic.after(timeout, from: Monotonic.now())
            let exchange = HTTPExchange(request, encoded: encoded, deadline: deadline, done: done)
            let bound = LoopBound(exchange, on: loop.thread)
            let timer = loop.schedule(after: timeout) { bound.value.abandon(.timedOut(.response)) }
            pool.value.send(exchange)
            return {
                timer.cancel()
                bound.value.abandon(.cancelled)
            }
        }
    }

    /// Ends every connection; requests under way fail with `closed`.
    public func close() {
        loop.execute { [pool] in pool.value.close() }
    }
}

extension TLSContext {
    /// The context for an endpoint: none for one without TLS.
    static func make(
        _ configuration: TLSClientConfiguration,
        for endpoint: Endpoint
    ) throws(TransportError) -> TLSContext? {
        guard endpoint.isSecure else { return nil }
        do throws(TLSFailure) {
            return try TLSContext(client: configuration, host: endpoint.host)
        } catch {
            throw .tls(error)
        }
    }
}
