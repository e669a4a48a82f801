/// The loop's side of a WebSocket, of either role: reads frames, keeps the rules, sends what is queued.
final class WebSocketChannel: OwnedConnection {
    private enum Phase {
        case open
        /// One side has sent its close frame; the other's is awaited.
        case closing
        /// Both have, or one broke the rules: only the end of the connection is awaited.
        case finishing
        case ended
    }

    let owner: (any ConnectionOwner)?
    let stream: SocketStream
    let settings: WebSocketSettings
    private let role: WebSocketRole
    private let loop: EventLoop
    private var handler: (any WebSocketHandler)?
    private var socket: WebSocket?
    private(set) var decoder: WebSocketFrameDecoder
    private var phase = Phase.open
    private var pending: [UInt8] = []
    private var isPaused = false
    private var isBlocked = false
    private var isPinged = false
    private var peerCode: UInt16?
    private var peerReason = ""
    /// What of the server's budget this connection has taken.
    var budgetBytes = 0
    /// When the message that has come in part began; 0 when there is none.
    var messageStart: UInt64 = 0
    /// Called on the loop whenever bytes have left.
    var onProgress: (() -> Void)?

    init(
        _ stream: SocketStream,
        role: WebSocketRole,
        settings: WebSocketSettings,
        handler: any WebSocketHandler,
        owner: (any ConnectionOwner)?,
        loop: EventLoop
    ) {
        self.stream = stream
        self.role = role
        self.settings = settings
        self.handler = handler
        self.owner = owner
        self.loop = loop
        decoder = WebSocketFrameDecoder(
            role: role,
            maxFrameBytes: settings.maxFrameBytes,
            maxMessageBytes: settings.maxMessageBytes
        )
    }

    /// Takes the stream over, with what has been read from it beyond the handshake.
    func begin(with rest: Span<UInt8>) {
        let socket = WebSocket(
            self,
            peer: stream.peer,
            role: role,
            limit: settings.maxQueuedBytes,
            loop: loop
        )
        self.socket = socket
        stream.transfer(to: self)
        stream.isReading = true
        stream.setDeadline(after: settings.pingInterval)
        // What the handshake still has queued is no message; it is not counted.
        uncounted = stream.queuedBytes
        handler?.opened(socket)
        process(rest)
        flush()
    }

    private var uncounted = 0

    /// Stops or resumes reading; what has been read but not told waits.
    func setPaused(_ isPaused: Bool) {
        guard phase == .open || phase == .closing, self.isPaused != isPaused else { return }
        self.isPaused = isPaused
        stream.isReading = !isPaused
        guard !isPaused, !pending.isEmpty else { return }
        var input: [UInt8] = []
        swap(&input, &pending)
        process(input.span)
    }

    // MARK: Events

    func ready(_ readiness: Readiness) {
        if readiness.contains(.write) || stream.queuedBytes > 0 { flush() }
        if readiness.contains(.read) || (readiness.contains(.hangup) && stream.isReading) {
            receive()
        } else if readiness.contains(.hangup), !stream.isReading {
            end()
        }
    }

    func deadlinePassed() {
        guard phase == .open, !isBlocked, !isPinged || isPaused else { return end() }
        guard !isMessageOverdue else { return refuse(.tooSlow) }
        // While reading is paused the answer cannot be seen; then silence proves nothing.
        isPinged = !isPaused
        socket?.control(.ping, [])
        stream.setDeadline(after: settings.pingInterval)
    }

    private func receive() {
        var buffer: [UInt8] = []
        swap(&buffer, &stream.reactor.scratch)
        defer { swap(&buffer, &stream.reactor.scratch) }
        if phase == .finishing {
            if stream.discardInput(into: &buffer) == nil { end() }
            return
        }
        for _ in 0..<(stream.isSecure ? 4 : 1) {
            guard stream.isReading, !stream.isClosed else { return }
            switch stream.receive(into: &buffer) {
            case .bytes(let count):
                isPinged = false
                if phase == .open, !isBlocked { stream.setDeadline(after: settings.pingInterval) }
                process(buffer.span.extracting(0..<count))
            case .nothing: return
            case .end, .failed: return end()
            }
        }
    }

    private func process(_ input: Span<UInt8>) {
        var position = 0
        while phase == .open || phase == .closing {
            guard !isPaused else {
                pending.append(input.extracting(position..<input.count))
                return
            }
            do throws(WebSocketViolation) {
                guard let event = try decoder.next(input, at: &position) else { return try checkMessage() }
                // The next message, whose start may be here already, has its own time.
                if !decoder.isInsideMessage { messageStart = 0 }
                serve(event)
            } catch {
                refuse(error)
            }
        }
    }

    private func refuse(_ violation: WebSocketViolation) {
        socket?.control(.close, WebSocketFrameEncoder.closePayload(violation.closeCode, ""))
        finish()
    }

    private func serve(_ event: WebSocketEvent) {
        guard let socket else { return }
        switch event {
        case .text(let text): if phase == .open { handler?.received(text: text, on: socket) }
        case .binary(let bytes): if phase == .open { handler?.received(binary: bytes, on: socket) }
        // A slow reader's pings are answered when it reads again, by the answer to its next one (section 5.5.3).
        case .ping(let payload): if !socket.isBehind { socket.control(.pong, payload) }
        case .pong: break
        case .close(let code, let reason):
            peerCode = code
            peerReason = reason
            // Repeats the code (section 5.5.1); where this side closed first, its frame is on its way and this is none.
            socket.control(.close, WebSocketFrameEncoder.closePayload(code, ""))
            finish()
        }
    }

    private func forgetMessage() {
        pending = []
        decoder.forget()
        takeBudget(0)
    }

    // MARK: Output

    /// Sends what is queued.
    func flush() {
        guard phase != .ended, let socket else { return }
        let frames = socket.takeFrames()
        if !frames.isEmpty { stream.enqueue(frames) }
        let progress: Int
        do {
            progress = try stream.flush()
        } catch {
            return end()
        }
        guard owner?.countQueue(of: stream) ?? true else { return end() }
        let own = max(0, progress - uncounted)
        uncounted = max(0, uncounted - progress)
        if own > 0 { socket.bytesLeft(own) }
        if stream.queuedBytes > 0 {
            if progress > 0 || !isBlocked { stream.setDeadline(after: settings.writeTimeout) }
            isBlocked = true
        } else {
            if isBlocked { stream.setDeadline(after: phase == .open ? settings.pingInterval : settings.closeTimeout) }
            isBlocked = false
            if phase == .finishing { finishSending() }
        }
        if phase == .open, !socket.isOpen { beginClosing() }
        if own > 0 { onProgress?() }
    }

    private func beginClosing() {
        phase = .closing
        if isPaused { setPaused(false) }
        if !isBlocked { stream.setDeadline(after: settings.closeTimeout) }
    }

    /// Both close frames are sent or queued. The server ends the connection; a client waits for that (section 7.1.1).
    private func finish() {
        guard phase != .finishing, phase != .ended else { return }
        phase = .finishing
        forgetMessage()
        stream.setDeadline(after: settings.closeTimeout)
        flush()
    }

    private var hasFinishedSending = false

    private func finishSending() {
        guard !hasFinishedSending else { return }
        hasFinishedSending = true
        stream.isReading = true
        stream.finishSending()
    }

    // MARK: The end

    func drain() {
        socket?.close(code: 1001)
    }

    func abort() {
        end()
    }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        forgetMessage()
        stream.close()
        _ = owner?.countQueue(of: stream)
        let (handler, socket) = (handler, socket)
        self.handler = nil
        self.socket = nil
        onProgress?()
        onProgress = nil
        if let socket {
            socket.shut()
            handler?.closed(code: peerCode, reason: peerReason, on: socket)
        }
        owner?.connectionEnded(from: stream.peer)
    }
}
