import MildamSystem

/// A server's state on its loop: the listener, the limits and how many connections there are.
final class ServerCore: ConnectionOwner {
    let loop: EventLoop
    let reactor: Reactor
    let limits: ServerLimits
    let handler: any HTTPHandler
    private(set) var isDraining = false
    /// What new connections shake hands with.
    var tls: TLSContext?
    /// Who works at the handshakes; `nil` for a server without TLS.
    let handshakes: HandshakeWorkers?
    private var listener: Listener?
    private var connectionCount = 0
    private var peers = PeerCounts()
    /// Content of requests, and messages of WebSockets, that have come in part.
    private var bufferedBytes = SharedBytes()
    /// What waits for slow readers.
    private var queuedBytes = SharedBytes()
    private var whenEmpty: [@Sendable () -> Void] = []
    private var date = HTTPDate()

    init(
        loop: EventLoop,
        limits: ServerLimits,
        tls: TLSContext?,
        handshakes: HandshakeWorkers?,
        handler: any HTTPHandler
    ) {
        self.loop = loop
        self.limits = limits
        self.tls = tls
        self.handshakes = handshakes
        self.handler = handler
        reactor = loop.reactor.value
    }

    /// Starts to accept.
    func listen(_ socket: SharedDescriptor) throws(TransportError) {
        listener = try Listener(socket, server: self)
    }

    /// The Date field's value now.
    func currentDate() -> [UInt8] { date.current() }

    /// Takes a connection.
    ///
    /// - Returns: whether it is there now; otherwise it was hung up on.
    func accept(_ accepted: consuming Sockets.Accepted) -> Bool {
        let peer = accepted.peer
        let socket = accepted.takeSocket()
        let number = socket.number
        // One who has enough, or comes too often, is hung up on: TLS leaves no other way to say it.
        guard handler.admits(peer),
            peers.enter(peer, limit: limits.maxConnectionsPerAddress, networkLimit: limits.maxConnectionsPerNetwork)
        else { return false }
        // A session that cannot be made, for want of memory, ends this connection only.
        let session: TLSSession?
        do throws(TLSFailure) {
            session = if let tls { try tls.makeSession(over: number, isServer: true) } else { nil }
        } catch {
            peers.leave(peer)
            return false
        }
        let stream = SocketStream(socket, peer: peer, tls: session, on: reactor)
        guard (try? ServerConnection(stream, server: self).begin()) != nil else {
            peers.leave(peer)
            return false
        }
        connectionCount += 1
        return true
    }

    /// Whether there is room for another connection.
    var hasRoom: Bool { connectionCount < limits.maxConnections }

    func connectionEnded(from peer: SocketAddress) {
        connectionCount -= 1
        peers.leave(peer)
        if hasRoom { listener?.resume() }
        if connectionCount == 0 { tellEmpty() }
    }

    func bufferedBytesChanged(by difference: Int, of peer: SocketAddress) -> Bool {
        bufferedBytes.change(
            by: difference,
            of: peer,
            limit: limits.maxBufferedBodyBytes,
            share: limits.maxBytesPerAddress
        )
    }

    func queuedBytesChanged(by difference: Int, of peer: SocketAddress) -> Bool {
        queuedBytes.change(by: difference, of: peer, limit: limits.maxQueuedBytes, share: limits.maxBytesPerAddress)
    }

    /// Whether nothing is counted of connections, as when there are none.
    var isEmpty: Bool { connectionCount == 0 && peers.isEmpty && bufferedBytes.isEmpty && queuedBytes.isEmpty }

    /// Stops accepting, lets what is under way finish, and tells when nothing is left.
    func drain(spreading span: Duration, _ done: @escaping @Sendable () -> Void) {
        isDraining = true
        listener?.close()
        listener = nil
        whenEmpty.append(done)
        var sockets: [WebSocketChannel] = []
        for connection in connections {
            if let socket = connection as? WebSocketChannel { sockets.append(socket) } else { connection.drain() }
        }
        Farewell(to: sockets, over: span, on: loop).begin()
        if connectionCount == 0 { tellEmpty() }
    }

    /// Ends everything now.
    func stop() {
        isDraining = true
        listener?.close()
        listener = nil
        for connection in connections { connection.abort() }
        handshakes?.close()
        tellEmpty()
    }

    private var connections: [any OwnedConnection] {
        reactor.channels.compactMap { $0 as? any OwnedConnection }.filter { $0.owner === self }
    }

    private func tellEmpty() {
        let waiting = whenEmpty
        whenEmpty = []
        for done in waiting { done() }
    }
}

/// Who counts a connection.
protocol ConnectionOwner: AnyObject {
    /// Called once for each connection.
    func connectionEnded(from peer: SocketAddress)

    /// A connection's share of what has come in part has changed.
    ///
    /// - Returns: whether all of it together, and that of the peer's address, is within the limits.
    func bufferedBytesChanged(by difference: Int, of peer: SocketAddress) -> Bool

    /// What waits to be sent to a connection's client has changed.
    ///
    /// - Returns: whether all of it together, and that of the peer's address, is within the limits.
    func queuedBytesChanged(by difference: Int, of peer: SocketAddress) -> Bool
}

extension ConnectionOwner {
    /// Counts what waits in a stream, in the place of what was counted before.
    ///
    /// - Returns: whether so much may wait.
    func countQueue(of stream: SocketStream) -> Bool {
        let difference = stream.queuedBytes - stream.countedBytes
        guard difference != 0 else { return true }
        stream.countedBytes += difference
        return queuedBytesChanged(by: difference, of: stream.peer)
    }
}

/// A connection that its owner can end.
protocol OwnedConnection: Channel {
    var owner: (any ConnectionOwner)? { get }

    /// Ends when what is under way is done.
    func drain()
}
