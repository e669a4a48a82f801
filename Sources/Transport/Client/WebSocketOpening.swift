/// A WebSocket on its way to being open: dials, asks for the upgrade, checks the answer. Lives on the loop.
final class WebSocketOpening: Channel {
    /// Content of a refusal that is passed on to the caller.
    private static let maxRefusalBytes = 64 * 1024

    private let endpoint: Endpoint
    private let key: String
    private let request: [UInt8]
    private let limits: ClientLimits
    private let loop: EventLoop
    private var done: (@Sendable (Result<WebSocketConnection, TransportError>) -> Void)?
    private var dialer: Dialer?
    private var stream: SocketStream?
    private var parser: HTTPResponseHeadParser
    private var refusal: (head: HTTPResponseHead, decoder: HTTPBodyDecoder)?

    init(
        _ endpoint: Endpoint,
        key: String,
        request: [UInt8],
        limits: ClientLimits,
        loop: EventLoop,
        done: @escaping @Sendable (Result<WebSocketConnection, TransportError>) -> Void
    ) {
        self.endpoint = endpoint
        self.key = key
        self.request = request
        self.limits = limits
        self.loop = loop
        self.done = done
        parser = HTTPResponseHeadParser(maxHeadBytes: limits.maxHeadBytes, maxFields: limits.maxFields)
    }

    func start(_ tls: TLSContext?) {
        let dialer = Dialer(endpoint, tls: tls, limits: limits, loop: loop) { [weak self] result in
            self?.dialed(result)
        }
        self.dialer = dialer
        dialer.start()
    }

    /// Gives up, unless it is over already.
    func cancel() {
        finish(.failure(.cancelled))
    }

    private func dialed(_ result: Result<SocketStream, TransportError>) {
        dialer = nil
        do throws(TransportError) {
            let stream = try result.get()
            self.stream = stream
            stream.transfer(to: self)
            stream.setDeadline(after: limits.requestTimeout)
            stream.enqueue(request)
            try stream.flush()
        } catch {
            finish(.failure(error))
        }
    }

    func ready(_ readiness: Readiness) {
        guard let stream else { return }
        do throws(TransportError) {
            if stream.queuedBytes > 0 { try stream.flush() }
            guard readiness.contains(.read) || readiness.contains(.hangup) else { return }
            var buffer: [UInt8] = []
            swap(&buffer, &stream.reactor.scratch)
            defer { swap(&buffer, &stream.reactor.scratch) }
            switch stream.receive(into: &buffer) {
            case .bytes(let count): try process(buffer.span.extracting(0..<count), stream)
            case .nothing: return
            case .end: throw .closed
            case .failed(let error): throw error
            }
        } catch {
            finish(.failure(error))
        }
    }

    func deadlinePassed() {
        finish(.failure(.timedOut(.response)))
    }

    func abort() {
        finish(.failure(.closed))
    }

    private func process(_ input: Span<UInt8>, _ stream: SocketStream) throws(TransportError) {
        var position = 0
        do throws(HTTPViolation) {
            while refusal == nil {
                guard let head = try parser.next(input, at: &position) else { return }
                if head.status == 101 { return try open(head, input.extracting(position..<input.count), stream) }
                guard head.status >= 200 else { throw .unexpectedResponse }
                let decoder = try HTTPBodyDecoder(
                    head.framing,
                    limit: Self.maxRefusalBytes,
                    maxTrailerBytes: limits.maxHeadBytes,
                    maxTrailers: limits.maxFields
                )
                refusal = (head, decoder)
            }
            guard let (head, started) = refusal else { return }
            var decoder = started
            let isWhole = try decoder.next(input, at: &position)
            refusal = (head, decoder)
            guard isWhole else { return }
            let response = HTTPResponse(status: head.status, fields: head.fields, body: decoder.takeBody())
            finish(.failure(.upgradeRefused(response)))
        } catch {
            throw TransportError(error)
        }
    }

    private func open(
        _ head: HTTPResponseHead,
        _ rest: Span<UInt8>,
        _ stream: SocketStream
    ) throws(HTTPViolation) {
        guard WebSocketHandshake.isAccepted(head, key: key) else {
            return finish(.failure(.protocolViolation(.webSocket(.handshake))))
        }
        self.stream = nil
        let inbox = MessageInbox(limit: limits.maxBufferedMessages)
        let channel = WebSocketChannel(
            stream,
            role: .client,
            settings: WebSocketSettings(limits),
            handler: inbox,
            owner: nil,
            loop: loop
        )
        inbox.attach(LoopBound(channel, on: loop.thread), loop: loop)
        channel.onProgress = { [weak inbox] in inbox?.progressed() }
        channel.begin(with: rest)
        guard let socket = inbox.socket else { return finish(.failure(.closed)) }
        finish(.success(WebSocketConnection(socket, inbox)))
    }

    private func finish(_ result: Result<WebSocketConnection, TransportError>) {
        dialer?.cancel()
        dialer = nil
        stream?.close()
        stream = nil
        let call = done
        done = nil
        call?(result)
    }
}
