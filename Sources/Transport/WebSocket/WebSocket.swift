import MildamSystem

/// What became of a message that was to be sent.
public enum SendResult: Sendable, Equatable {
    /// It waits its turn, or is gone already.
    case queued
    /// The other side reads too slowly: the limit is queued, and nothing was added. The message may be tried again
    /// later; what came before it is still on its way.
    case behind
    /// The socket is closed or closing.
    case closed
}

/// One end of a WebSocket (RFC 6455), to be used from any thread.
public final class WebSocket: Sendable {
    private struct Outbox {
        /// Encoded frames that the loop has not taken yet.
        var frames: [UInt8] = []
        /// All bytes on their way: those, and what the loop still holds.
        var bytesOnTheirWay = 0
        var isFlushDue = false
        var isOpen = true
    }

    /// The other end's address.
    public let peer: SocketAddress
    private let role: WebSocketRole
    private let limit: Int
    private let loop: EventLoop
    private let outbox = Lock(Outbox())
    private let channel: LoopBound<WebSocketChannel>

    init(_ channel: WebSocketChannel, peer: SocketAddress, role: WebSocketRole, limit: Int, loop: EventLoop) {
        self.peer = peer
        self.role = role
        self.limit = limit
        self.loop = loop
        self.channel = LoopBound(channel, on: loop.thread)
    }

    /// Queues a text message.
    @discardableResult
    public func send(text: String) -> SendResult {
        send(.text, text.utf8, closing: false)
    }

    /// Queues a binary message.
    @discardableResult
    public func send(binary: [UInt8]) -> SendResult {
        send(.binary, binary, closing: false)
    }

    /// Queues a close frame behind what waits. Nothing can be sent after it.
    ///
    /// - Parameter code: 1000, or an application's own 3000 to 4999, or another that may be sent; any other becomes
    ///   1000.
    /// - Parameter reason: at most 123 bytes of UTF-8; the rest is cut off.
    public func close(code: UInt16 = 1000, reason: String = "") {
        let code = WebSocketCloseCode.isValid(code) ? code : 1000
        _ = send(.close, WebSocketFrameEncoder.closePayload(code, reason), closing: true)
    }

    /// Ends the connection without a word.
    public func abort() {
        loop.execute { [channel] in channel.value.abort() }
    }

    /// Queues a control frame, which no limit holds back.
    func control(_ opcode: WebSocketFrameHeader.Opcode, _ payload: [UInt8]) {
        _ = send(opcode, payload, closing: opcode == .close)
    }

    /// Hands the frames over to the loop.
    func takeFrames() -> [UInt8] {
        outbox.withLock { outbox in
            outbox.isFlushDue = false
            let frames = outbox.frames
            outbox.frames = []
            return frames
        }
    }

    /// So many bytes have left.
    ///
    /// - Returns: how many are still on their way.
    @discardableResult
    func bytesLeft(_ count: Int) -> Int {
        outbox.withLock { outbox in
            outbox.bytesOnTheirWay -= count
            return outbox.bytesOnTheirWay
        }
    }

    /// Whether the other side should read before more is queued for it.
    var isBehind: Bool { outbox.withLock { $0.bytesOnTheirWay > limit } }

    /// Whether anything is on its way.
    var isBusy: Bool { outbox.withLock { $0.bytesOnTheirWay > 0 } }

    /// Whether messages may still be sent.
    var isOpen: Bool { outbox.withLock { $0.isOpen } }

    /// Nothing can be sent any more.
    func shut() {
        outbox.withLock { outbox in
            outbox.isOpen = false
            outbox.frames = []
        }
    }

    private func send(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ payload: some Collection<UInt8>,
        closing: Bool
    ) -> SendResult {
        let mask = role == .client ? Digests.random(4) : nil
        let frame = WebSocketFrameEncoder.encode(opcode, payload, mask: mask)
        let (result, mustFlush) = outbox.withLock { outbox -> (SendResult, Bool) in
            guard outbox.isOpen else { return (.closed, false) }
            // A message longer than the limit goes when nothing else waits; else it could never go.
            let isAllowed =
                opcode.isControl || outbox.bytesOnTheirWay == 0
                || frame.count <= limit - min(outbox.bytesOnTheirWay, limit)
            guard isAllowed else { return (.behind, false) }
            outbox.bytesOnTheirWay += frame.count
            outbox.frames.append(contentsOf: frame)
            if closing { outbox.isOpen = false }
            let mustFlush = !outbox.isFlushDue
            outbox.isFlushDue = true
            return (.queued, mustFlush)
        }
        if mustFlush { loop.execute { [channel] in channel.value.flush() } }
        return result
    }
}
