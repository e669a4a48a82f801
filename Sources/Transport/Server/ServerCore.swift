import MildamSystem

/// A server's state on its loop: the listener, the limits and how many connections there are.
final class ServerCore: ConnectionOwner {
    let loop: EventLoop
    let reactor: Reactor
    let limits: ServerLimits
    let handler: any HTTPHandler
    private(set) var isDraining = false
    private let tls: TLSContext?
    private var listener: Listener?
    private var connectionCount = 0
    /// Content of requests that have come in part.
    private var bufferedBodyBytes = 0
    private var whenEmpty: [@Sendable () -> Void] = []
    private var date = HTTPDate()

    init(loop: EventLoop, limits: ServerLimits, tls: TLSContext?, handler: any HTTPHandler) {
        self.loop = loop
        self.limits = limits
        self.tls = tls
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
    /// - Returns: whether there is room for another one.
    func accept(_ accepted: consuming Sockets.Accepted) -> Bool {
        let peer = accepted.peer
        let socket = accepted.takeSocket()
        let number = socket.number
        // A session that cannot be made, for want of memory, ends this connection only.
        let session: TLSSession?
        do throws(TLSFailure) {
            session = if let tls { try tls.makeSession(over: number, isServer: true) } else { nil }
        } catch {
            return true
        }
        let stream = SocketStream(socket, peer: peer, tls: session, on: reactor)
        if (try? ServerConnection(stream, server: self).begin()) != nil { connectionCount += 1 }
        return connectionCount < limits.maxConnections
    }

    func connectionEnded() {
        connectionCount -= 1
        if connectionCount < limits.maxConnections { listener?.resume() }
        if connectionCount == 0 { tellEmpty() }
    }

    /// A connection's share of the buffered content has changed.
    ///
    /// - Returns: whether all of it together is within the limit.
    func bodyBytesChanged(by difference: Int) -> Bool {
        bufferedBodyBytes += difference
        return bufferedBodyBytes <= limits.maxBufferedBodyBytes
    }

    /// Stops accepting, lets what is under way finish, and tells when nothing is left.
    func drain(_ done: @escaping @Sendable () -> Void) {
        isDraining = true
        listener?.close()
        listener = nil
        whenEmpty.append(done)
        for connection in connections { connection.drain() }
        if connectionCount == 0 { tellEmpty() }
    }

    /// Ends everything now.
    func stop() {
        isDraining = true
        listener?.close()
        listener = nil
        for connection in connections { connection.abort() }
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
    func connectionEnded()
}

/// A connection that its owner can end.
protocol OwnedConnection: Channel {
    var owner: (any ConnectionOwner)? { get }

    /// Ends when what is under way is done.
    func drain()
}
