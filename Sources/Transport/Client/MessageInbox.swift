import MildamSystem

/// Between a client's WebSocket on the loop and the task that reads it: a bounded queue that stops the socket from
/// being read when it is full.
final class MessageInbox: WebSocketHandler {
    private struct State {
        var socket: WebSocket?
        var channel: LoopBound<WebSocketChannel>?
        var loop: EventLoop?
        var messages: [WebSocketMessage] = []
        var reader: CheckedContinuation<WebSocketMessage?, Never>?
        var senders: [CheckedContinuation<Void, Never>] = []
        var isPaused = false
        var closing: WebSocketClosing?
        var isCancelled = false
    }

    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    func attach(_ channel: LoopBound<WebSocketChannel>, loop: EventLoop) {
        state.withLock { state in
            state.channel = channel
            state.loop = loop
        }
    }

    var socket: WebSocket? { state.withLock { $0.socket } }

    /// How it ended; `nil` while it is open.
    var closing: WebSocketClosing? { state.withLock { $0.closing } }

    // MARK: On the loop

    func opened(_ socket: WebSocket) {
        state.withLock { $0.socket = socket }
    }

    func received(text: String, on socket: WebSocket) {
        take(.text(text))
    }

    func received(binary: [UInt8], on socket: WebSocket) {
        take(.binary(binary))
    }

    func closed(code: UInt16?, reason: String, on socket: WebSocket) {
        let reader = state.withLock { state in
            state.closing = WebSocketClosing(code: code, reason: reason)
            state.channel = nil
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume(returning: nil)
        progressed()
    }

    /// Bytes have left, or never will.
    func progressed() {
        let senders = state.withLock { state in
            let senders = state.senders
            state.senders = []
            return senders
        }
        for sender in senders { sender.resume() }
    }

    private func take(_ message: WebSocketMessage) {
        let (reader, pause) = state.withLock { state -> (CheckedContinuation<WebSocketMessage?, Never>?, Bool) in
            if let reader = state.reader {
                state.reader = nil
                return (reader, false)
            }
            state.messages.append(message)
            let pause = state.messages.count >= limit && !state.isPaused
            if pause { state.isPaused = true }
            return (nil, pause)
        }
        reader?.resume(returning: message)
        if pause { state.withLock { $0.channel }?.value.setPaused(true) }
    }

    // MARK: In the reader's and writers' tasks

    /// The next message; `nil` after the last, and when the task is cancelled.
    func next() async -> WebSocketMessage? {
        // A cancellation that came too late to matter must not end the next read.
        defer { state.withLock { $0.isCancelled = false } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in read(continuation) }
        } onCancel: {
            let reader = state.withLock { state in
                state.isCancelled = true
                let reader = state.reader
                state.reader = nil
                return reader
            }
            reader?.resume(returning: nil)
        }
    }

    private func read(_ continuation: CheckedContinuation<WebSocketMessage?, Never>) {
        enum Step {
            case answer(WebSocketMessage?, resume: Bool)
            case wait
        }
        let step = state.withLock { state -> Step in
            if state.isCancelled {
                state.isCancelled = false
                return .answer(nil, resume: false)
            }
            guard !state.messages.isEmpty else {
                // One reader at a time: a second one ends at once.
                guard state.closing == nil, state.reader == nil else { return .answer(nil, resume: false) }
                state.reader = continuation
                return .wait
            }
            let message = state.messages.removeFirst()
            let resume = state.isPaused && state.messages.count <= limit / 2
            if resume { state.isPaused = false }
            return .answer(message, resume: resume)
        }
        guard case .answer(let message, let resume) = step else { return }
        continuation.resume(returning: message)
        if resume { updateReading() }
    }

    /// Reads again, unless it is full once more by then.
    private func updateReading() {
        let (loop, channel) = state.withLock { ($0.loop, $0.channel) }
        guard let loop, let channel else { return }
        loop.execute { [self] in
            let isPaused = state.withLock { $0.isPaused }
            channel.value.setPaused(isPaused)
        }
    }

    /// Waits until bytes have left.
    func waitForProgress(of socket: WebSocket) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isWaiting = state.withLock { state in
                guard state.closing == nil, socket.isBusy else { return false }
                state.senders.append(continuation)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }
}
