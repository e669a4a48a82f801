/// One connection of an HTTP client, used for one exchange after the other. Lives on the client's loop.
final class ClientConnection: Channel {
    private enum Phase {
        case idle
        case head(HTTPExchange, HTTPResponseHeadParser)
        case body(HTTPExchange, HTTPResponseHead, HTTPBodyDecoder)
        case ended
    }

    /// Informational responses put up with before the real one.
    private static let maxInformational = 8

    private let stream: SocketStream
    private let limits: ClientLimits
    private unowned let pool: ClientPool
    private var phase = Phase.idle
    private var exchangeCount = 0
    private var informationalCount = 0
    private var sawAnswer = false
    /// The request could not be sent to its end; an answer may still come (RFC 9112, section 9.5).
    private var isWriteBroken = false

    init(_ stream: SocketStream, pool: ClientPool, limits: ClientLimits) {
        self.stream = stream
        self.pool = pool
        self.limits = limits
        stream.transfer(to: self)
    }

    /// Sends a request; the connection is idle.
    func begin(_ exchange: HTTPExchange) {
        exchangeCount += 1
        sawAnswer = false
        informationalCount = 0
        phase = .head(exchange, newParser())
        exchange.onAbandon = { [unowned self] in end(.cancelled) }
        stream.setDeadline(exchange.deadline)
        stream.enqueue(exchange.encoded)
        flush()
    }

    /// Ends an idle connection.
    func close() {
        end(.closed)
    }

    func ready(_ readiness: Readiness) {
        if readiness.contains(.write) || stream.queuedBytes > 0 { flush() }
        if readiness.contains(.read) || readiness.contains(.hangup) { receive() }
    }

    func deadlinePassed() {
        end(.timedOut(stream.queuedBytes > 0 ? .request : .response))
    }

    func abort() {
        end(.closed)
    }

    private func flush() {
        guard !isWriteBroken else { return }
        do throws(TransportError) {
            try stream.flush()
        } catch {
            isWriteBroken = true
            stream.dropOutput()
        }
    }

    private func receive() {
        var buffer: [UInt8] = []
        swap(&buffer, &stream.reactor.scratch)
        defer { swap(&buffer, &stream.reactor.scratch) }
        for _ in 0..<(stream.isSecure ? 4 : 1) {
            guard !stream.isClosed else { return }
            switch stream.receive(into: &buffer) {
            case .bytes(let count): process(buffer.span.extracting(0..<count))
            case .nothing: return
            case .end: return end(sawAnswer ? .protocolViolation(.http(.truncated)) : .closed)
            case .failed(let error): return end(error)
            }
        }
    }

    private func process(_ input: Span<UInt8>) {
        sawAnswer = true
        var position = 0
        do throws(HTTPViolation) {
            while position < input.count, try step(input, &position) {}
        } catch {
            end(.init(error))
        }
    }

    /// Takes one step.
    ///
    /// - Returns: whether the next may follow.
    private func step(_ input: Span<UInt8>, _ position: inout Int) throws(HTTPViolation) -> Bool {
        switch phase {
        case .idle:
            throw .unexpectedResponse
        case .head(let exchange, var parser):
            guard let head = try parser.next(input, at: &position) else {
                phase = .head(exchange, parser)
                return false
            }
            try begin(exchange, head, isLast: position == input.count)
        case .body(let exchange, let head, var decoder):
            if try decoder.next(input, at: &position) {
                finish(exchange, head, decoder.takeBody(), isLast: position == input.count)
            } else {
                phase = .body(exchange, head, decoder)
            }
        case .ended:
            return false
        }
        return true
    }

    private func begin(_ exchange: HTTPExchange, _ head: HTTPResponseHead, isLast: Bool) throws(HTTPViolation) {
        if head.status < 200 {
            informationalCount += 1
            guard head.status != 101, head.framing == .none, informationalCount <= Self.maxInformational else {
                throw .unexpectedResponse
            }
            phase = .head(exchange, newParser())
            return
        }
        guard exchange.request.method != .head, head.status != 204, head.status != 304 else {
            return finish(exchange, head, [], isLast: isLast)
        }
        // A body that only the end of the connection delimits could be cut without anyone knowing.
        guard head.framing != .none else { throw .lengthMissing }
        let decoder = try HTTPBodyDecoder(
            head.framing,
            limit: limits.maxBodyBytes,
            maxTrailerBytes: limits.maxHeadBytes,
            maxTrailers: limits.maxFields
        )
        guard head.framing != .length(0) else { return finish(exchange, head, [], isLast: isLast) }
        phase = .body(exchange, head, decoder)
    }

    private func finish(_ exchange: HTTPExchange, _ head: HTTPResponseHead, _ body: [UInt8], isLast: Bool) {
        // A request that was answered before it was sent to its end, or bytes that nobody asked for: not kept.
        let isKept = isLast && !head.closesAfterwards && stream.queuedBytes == 0 && !isWriteBroken
        phase = .idle
        if isKept {
            stream.setDeadline(after: limits.keepAlive)
            pool.becameIdle(self)
        } else {
            end(.closed)
        }
        exchange.finish(.success(HTTPResponse(status: head.status, fields: head.fields, body: body)))
    }

    private func end(_ error: TransportError) {
        let last = phase
        guard !stream.isClosed else { return }
        if case .idle = last { stream.sayGoodbye() }
        phase = .ended
        stream.close()
        pool.ended(self)
        switch last {
        case .head(let exchange, _), .body(let exchange, _, _):
            // Only a connection that was closed while it lay idle is no answer at all.
            let isStale = exchangeCount > 1 && !sawAnswer && error.isEndOfConnection
            if isStale, exchange.request.isIdempotent, !exchange.wasRetried, !exchange.isOver {
                exchange.wasRetried = true
                pool.retry(exchange)
            } else {
                exchange.finish(.failure(error))
            }
        case .idle, .ended:
            break
        }
    }

    private func newParser() -> HTTPResponseHeadParser {
        HTTPResponseHeadParser(maxHeadBytes: limits.maxHeadBytes, maxFields: limits.maxFields)
    }
}

extension TransportError {
    /// Limits apart from broken rules.
    init(_ violation: HTTPViolation) {
        switch violation {
        case .bodyTooLarge: self = .limitExceeded(.body)
        case .headTooLarge, .tooManyFields: self = .limitExceeded(.head)
        default: self = .protocolViolation(.http(violation))
        }
    }

    fileprivate var isEndOfConnection: Bool { self == .closed || self == .tls(.truncated) }
}
