/// One client's connection, from its first byte to its last, or to its upgrade. Lives on the server's loop.
///
/// Requests are served one after the other: the next is not read from the input before the answer to this one has
/// been queued and the queue is short, so a client that pipelines without reading stops being read.
final class ServerConnection: OwnedConnection {
    enum Phase {
        case handshake(Handshake)
        /// Gathering a head; before its first byte, idle.
        case head(HTTPHeadParser)
        case body(HTTPRequestHead, HTTPBodyDecoder)
        /// The handler has the request.
        case answering(HTTPRequestHead)
        /// The last answer is queued or sent; what still comes is thrown away.
        case closing
        /// The socket is closed, or another channel's.
        case ended
    }

    /// Input kept while an answer is awaited; once there is so much, which one read may pass by as much, the socket is
    /// not read.
    static let maxPending = Reactor.scratchSize
    /// Answers that one connection gets for an event, and again after the others had their turn, however many requests
    /// it sends at once.
    private static let maxAnswersPerTurn = 8
    /// What is thrown away of a refused client's input before the connection is cut.
    private static let maxDiscarded = 4 * 1024 * 1024

    let server: ServerCore
    let stream: SocketStream
    /// What those who answer know of the client.
    let client = ClientPresence()
    var peer: SocketAddress { stream.peer }
    var phase: Phase
    var pending: [UInt8] = []
    var isProcessing = false
    var answersThisTurn = 0
    private var awaitsTurn = false
    var hasPeerFinished = false
    private var discarded = 0
    /// Bytes wait because the client does not read them.
    var isBlocked = false
    /// When they have waited too long.
    var writeDeadline: UInt64 = 0
    /// This side has finished sending.
    var isFinishing = false
    private var bodyDeadline: UInt64 = 0
    /// What of the server's budget for input this connection has taken.
    var bodyBytes = 0
    /// The request whose content broke a rule.
    var offender: HTTPRequestHead?

    init(_ stream: SocketStream, server: ServerCore) {
        self.stream = stream
        self.server = server
        phase = stream.isEstablished ? .head(HTTPHeadParser(server.limits)) : .handshake(.awaited)
    }

    var owner: (any ConnectionOwner)? { server }

    /// Begins to be served.
    func begin() throws(TransportError) {
        try stream.attach(to: self)
        stream.setDeadline(after: server.limits.headTimeout)
    }

    // MARK: Events

    func ready(_ readiness: Readiness) {
        answersThisTurn = 0
        if case .handshake(let handshake) = phase { return continueHandshake(handshake, readiness) }
        if readiness.contains(.write) || stream.queuedBytes > 0 {
            settle()
            process()
        }
        if readiness.contains(.read) || (readiness.contains(.hangup) && stream.isReading) {
            receive()
        } else if readiness.contains(.hangup), !stream.isReading {
            // Nothing can be sent any more and nothing is awaited.
            end()
        }
    }

    func deadlinePassed() {
        switch phase {
        case .head(let parser) where stream.queuedBytes == 0 && !(parser.isEmpty && pending.isEmpty):
            refuse(408, nil)
        case .body(let head, _) where stream.queuedBytes == 0:
            refuse(408, head)
        default:
            end()
        }
    }

    // MARK: Input

    func receive() {
        var buffer: [UInt8] = []
        swap(&buffer, &stream.reactor.scratch)
        defer { swap(&buffer, &stream.reactor.scratch) }
        if case .closing = phase { return discard(&buffer) }
        // TLS gives a record at a time; four make a fair share. After an upgrade the next one is another channel's.
        for _ in 0..<(stream.isSecure ? 4 : 1) {
            guard isServing, stream.isReading, !stream.isClosed, case .bytes(let count) = take(into: &buffer) else {
                return
            }
            let input = buffer.span.extracting(0..<count)
            if pending.isEmpty, !isAnswering {
                process(input)
            } else {
                pending.append(input)
                settle()
                process()
            }
        }
    }

    /// Reads, and deals with everything but bytes.
    private func take(into buffer: inout [UInt8]) -> SocketStream.Input {
        let input = stream.receive(into: &buffer)
        switch input {
        case .bytes, .nothing:
            break
        case .end:
            hasPeerFinished = true
            client.note(.finished)
            stream.isReading = false
            // A client may finish sending and still wait for its answer.
            if isAnswering || stream.queuedBytes > 0 || !pending.isEmpty { break }
            end()
        case .failed:
            end()
        }
        return input
    }

    private func discard(_ buffer: inout [UInt8]) {
        guard let count = stream.discardInput(into: &buffer) else { return end() }
        discarded += count
        if discarded > Self.maxDiscarded { end() }
    }

    /// Goes on with the input that was kept, as long as the answers go or find room: when both have come to an end at
    /// once, no event of the socket would.
    func process() {
        let hasInput = canProcess && hasTurn
        while canProcess, hasTurn {
            var input: [UInt8] = []
            swap(&input, &pending)
            serve(input.span)
            guard pending.count < input.count else { break }
        }
        // What was kept may have been no request at all: an empty line.
        if hasInput, isIdle, stream.queuedBytes == 0 { awaitRequest() }
        guard canProcess, !hasTurn, !awaitsTurn else { return }
        awaitsTurn = true
        let connection = LoopBound(self, on: server.loop.thread)
        server.loop.execute { connection.value.takeTurn() }
    }

    /// The others had theirs.
    private func takeTurn() {
        awaitsTurn = false
        answersThisTurn = 0
        process()
    }

    private var canProcess: Bool {
        !pending.isEmpty && !isProcessing && !isAnswering && isServing && !isClosing && hasRoom
    }

    private var hasTurn: Bool { answersThisTurn < Self.maxAnswersPerTurn }

    private func process(_ input: Span<UInt8>) {
        serve(input)
        process()
    }

    private func serve(_ input: Span<UInt8>) {
        isProcessing = true
        var position = 0
        while position < input.count, hasRoom, hasTurn {
            do throws(HTTPViolation) {
                guard try step(input, &position) else { break }
            } catch {
                refuse(error.status, offender, error.fields)
            }
        }
        isProcessing = false
        if position < input.count, isServing, !isClosing {
            // What is left stands before anything that was kept meanwhile, which is nothing.
            var rest: [UInt8] = []
            rest.append(input.extracting(position..<input.count))
            pending = rest
        }
        settle()
    }

    /// Takes one step.
    ///
    /// - Returns: whether the next may follow.
    private func step(_ input: Span<UInt8>, _ position: inout Int) throws(HTTPViolation) -> Bool {
        switch phase {
        case .head(var parser):
            let wasEmpty = parser.isEmpty
            phase = .closing
            let head = try parser.next(input, at: &position)
            if let head {
                stream.setStandsBack(false)
                try begin(head, input, &position)
            } else {
                phase = .head(parser)
                if wasEmpty, !parser.isEmpty { stream.setDeadline(after: server.limits.headTimeout) }
                stream.setStandsBack(!parser.isEmpty)
            }
            return true
        case .body(let head, var decoder):
            phase = .closing
            guard try decode(&decoder, of: head, input, &position) else {
                guard shareOfBudget(is: decoder.body.count) else {
                    refuse(503, head)
                    return false
                }
                let earned = Duration.seconds(decoder.body.count / max(1, server.limits.minBodyBytesPerSecond))
                stream.setDeadline(Monotonic.after(earned, from: bodyDeadline))
                phase = .body(head, decoder)
                return true
            }
            dispatch(head, decoder.takeBody())
            return true
        case .handshake, .answering, .closing, .ended:
            return false
        }
    }

    private func begin(
        _ head: HTTPRequestHead,
        _ input: Span<UInt8>,
        _ position: inout Int
    ) throws(HTTPViolation) {
        let decoder = try newDecoder(head)
        if head.asksForWebSocket { return try upgrade(head, input, &position) }
        guard head.framing != .none, head.framing != .length(0) else { return dispatch(head, []) }
        if head.expectsContinue, position == input.count {
            stream.enqueue(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        phase = .body(head, decoder)
        bodyDeadline = Monotonic.after(server.limits.bodyTimeout, from: stream.reactor.now)
        stream.setDeadline(bodyDeadline)
    }

    private func dispatch(_ head: HTTPRequestHead, _ body: [UInt8]) {
        phase = .answering(head)
        shareOfBudget(is: 0)
        // Asking for more does not make who never reads any better.
        stream.setDeadline(isBlocked ? writeDeadline : nil)
        let reply = HTTPReply(LoopBound(self, on: server.loop.thread), of: client, on: server.loop)
        server.handler.handle(request(head, body), reply)
    }

    func request(_ head: HTTPRequestHead, _ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: head.method,
            target: head.target,
            fields: head.fields,
            body: body,
            peer: stream.peer,
            isSecure: stream.isSecure
        )
    }

    private func upgrade(
        _ head: HTTPRequestHead,
        _ input: Span<UInt8>,
        _ position: inout Int
    ) throws(HTTPViolation) {
        let key = try WebSocketHandshake.key(of: head)
        phase = .answering(head)
        stream.setDeadline(isBlocked ? writeDeadline : nil)
        switch server.handler.upgrade(request(head, [])) {
        case .refuse(let response, let pause):
            answer(response, heldBackFor: pause)
        case .accept(let handler):
            stream.enqueue(WebSocketHandshake.acceptance(of: key))
            phase = .ended
            let settings = WebSocketSettings(server.limits)
            let channel = WebSocketChannel(
                stream,
                role: .server,
                settings: settings,
                handler: handler,
                owner: server,
                loop: server.loop
            )
            let rest = input.extracting(position..<input.count)
            position = input.count
            channel.begin(with: rest)
            if server.isDraining { channel.drain() }
        }
    }

    // MARK: The end

    func drain() {
        // Who is still shaking hands has asked for nothing yet.
        if case .handshake = phase { return end() }
        if isIdle, stream.queuedBytes == 0 { end() }
    }

    func abort() {
        end()
    }

    func end() {
        if case .ended = phase { return }
        // Between two requests nothing is cut short, and the client may know it.
        if isIdle { stream.sayGoodbye() }
        let last = phase
        phase = .ended
        client.note(.gone)
        pending = []
        shareOfBudget(is: 0)
        stream.close()
        // A step that nobody works at yet goes with its place, one that is worked at when it comes back.
        if case .handshake(.away(let place)) = last { server.handshakes?.remove(place) }
        _ = server.countQueue(of: stream)
        server.connectionEnded(from: stream.peer)
    }

    var isAnswering: Bool {
        if case .answering = phase { true } else { false }
    }

    /// Whether another answer may be queued.
    var hasRoom: Bool { stream.queuedBytes <= server.limits.maxQueuedBytesPerConnection }

    private var isClosing: Bool {
        if case .closing = phase { true } else { false }
    }

    var isServing: Bool {
        if case .ended = phase { false } else { true }
    }

    /// Between two requests, with nothing of the next one here.
    var isIdle: Bool {
        if case .head(let parser) = phase { parser.isEmpty && pending.isEmpty } else { false }
    }
}
