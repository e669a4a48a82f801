/// A message of a WebSocket.
public enum WebSocketMessage: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
}

/// How a WebSocket ended.
public struct WebSocketClosing: Sendable, Equatable {
    /// The server's close code (RFC 6455, section 7.4); `nil` when the connection ended without one.
    public let code: UInt16?
    /// The server's words; often empty.
    public let reason: String
}

/// A client's open WebSocket. Pings are sent and answered by themselves. Let go, it closes.
public final class WebSocketConnection: Sendable {
    private let socket: WebSocket
    private let inbox: MessageInbox

    init(_ socket: WebSocket, _ inbox: MessageInbox) {
        self.socket = socket
        self.inbox = inbox
    }

    deinit {
        socket.close()
    }

    /// The server's address.
    public var peer: SocketAddress { socket.peer }

    /// The messages in order; ends with the connection. To be read by one task. While they are not taken, and
    /// `ClientLimits.maxBufferedMessages` wait, the socket is not read.
    public var messages: Messages { Messages(inbox: inbox) }

    /// How it ended; `nil` while it is open.
    public var closing: WebSocketClosing? { inbox.closing }

    /// Sends a text message; waits while too much is queued.
    ///
    /// - Throws: `closed`; `cancelled` when the task is.
    public func send(text: String) async throws(TransportError) {
        try await send { $0.send(text: text) }
    }

    /// Sends a binary message; waits while too much is queued.
    ///
    /// - Throws: `closed`; `cancelled` when the task is.
    public func send(binary: [UInt8]) async throws(TransportError) {
        try await send { $0.send(binary: binary) }
    }

    /// Says goodbye; messages sent before go first. `messages` ends when the server has answered, or has not in time.
    public func close(code: UInt16 = 1000, reason: String = "") {
        socket.close(code: code, reason: reason)
    }

    private func send(_ attempt: (WebSocket) -> SendResult) async throws(TransportError) {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch attempt(socket) {
            case .queued: return
            case .closed: throw .closed
            case .behind: await inbox.waitForProgress(of: socket)
            }
        }
    }

    /// The messages of a connection.
    public struct Messages: AsyncSequence, Sendable {
        /// Whole messages, their fragments put together.
        public typealias Element = WebSocketMessage

        let inbox: MessageInbox

        /// Reads them.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let inbox: MessageInbox

            /// The next message; `nil` after the last, and when the task is cancelled.
            public mutating func next() async -> WebSocketMessage? { await inbox.next() }
        }

        /// Begins to read.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }
    }
}
