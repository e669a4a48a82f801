import MildamSystem

/// An HTTP/1.1 and WebSocket server on one event loop.
public final class HTTPServer: Sendable {
    private enum Stage {
        case new
        case started(LoopBound<ServerCore>)
        case stopped
    }

    private let loop: EventLoop
    private let address: SocketAddress
    private let tls: TLSServerConfiguration?
    private let limits: ServerLimits
    private let handler: any HTTPHandler
    private let stage = Lock(Stage.new)
    private let shown = Lock<PresentedCertificate?>(nil)

    /// Makes a server; `start` makes it listen.
    ///
    /// - Parameter loop: it must have been started. Several servers may share it.
    /// - Parameter tls: `nil` serves in the clear.
    public init(
        loop: EventLoop,
        address: SocketAddress,
        tls: TLSServerConfiguration? = nil,
        limits: ServerLimits = .init(),
        handler: any HTTPHandler
    ) {
        self.loop = loop
        self.address = address
        self.tls = tls
        self.limits = limits
        self.handler = handler
    }

    /// The certificate that is shown to whoever connects now; `nil` without TLS, and before the start.
    public var certificate: PresentedCertificate? { shown.withLock { $0 } }

    /// Listens and begins to accept. To be called once, from outside the loop.
    ///
    /// - Returns: the address with the port that the system chose where 0 was asked for.
    /// - Throws: `system` when the address cannot be listened on, `tls` when certificate or key cannot be used,
    ///   `closed` when the server was started or stopped before, or the loop has ended.
    public func start() throws(TransportError) -> SocketAddress {
        let context: TLSContext? = if let tls { try Self.makeContext(tls) } else { nil }
        let bound: SocketAddress
        let socket: SharedDescriptor
        do {
            socket = SharedDescriptor(try Sockets.listen(on: address))
            bound = try Sockets.localAddress(of: socket.number)
        } catch {
            throw .system(error)
        }
        let isFirst = stage.withLock { stage in
            guard case .new = stage else { return false }
            stage = .stopped
            return true
        }
        guard isFirst else { throw .closed }
        let handshakes = tls == nil ? nil : try HandshakeWorkers(limits, on: loop)
        let listening = LoopAnswer<Result<Void, TransportError>>(on: loop) { [self] in
            let core = ServerCore(loop: loop, limits: limits, tls: context, handshakes: handshakes, handler: handler)
            do throws(TransportError) {
                try core.listen(socket)
            } catch {
                return .failure(error)
            }
            stage.withLock { $0 = .started(LoopBound(core, on: loop.thread)) }
            return .success(())
        }
        guard let outcome = listening.wait() else { throw .closed }
        try outcome.get()
        shown.withLock { $0 = context?.certificate }
        return bound
    }

    /// Takes another certificate and key, for the handshakes of connections that come from now on; those that are here
    /// keep theirs. From any thread; reads the files on the calling one.
    ///
    /// - Throws: `tls` when they cannot be used or do not belong together, `invalid` for a server without TLS, `closed`
    ///   for one that does not run. Then everything stays as it was.
    public func reloadTLS(_ configuration: TLSServerConfiguration) throws(TransportError) {
        guard tls != nil else { throw .invalid("a certificate for a server without TLS") }
        let context = try Self.makeContext(configuration)
        let replace: @Sendable () -> Bool = { [stage] in
            guard let core = Self.core(in: stage) else { return false }
            core.tls = context
            return true
        }
        let isReplaced = loop.isCurrent ? replace() : LoopAnswer(on: loop, replace).wait()
        guard isReplaced == true else { throw .closed }
        shown.withLock { $0 = context.certificate }
    }

    /// Stops accepting, closes idle connections, says 1001 to WebSockets, lets requests under way be answered, and
    /// returns when all have ended, or ends the rest after `patience`.
    ///
    /// - Parameter span: how long telling many WebSockets takes, so that their clients do not all come back at once; at
    ///   most half of `patience`. A few are told at once.
    public func drain(within patience: Duration, spreading span: Duration = .seconds(2)) async {
        await withCheckedContinuation { continuation in
            let isAsked = onCore { core in
                guard let core else { return continuation.resume() }
                let deadline = core.loop.schedule(after: patience) { [bound = LoopBound(core, on: core.loop.thread)] in
                    bound.value.stop()
                }
                core.drain(spreading: min(span, patience / 2)) {
                    deadline.cancel()
                    continuation.resume()
                }
            }
            if !isAsked { continuation.resume() }
        }
        stop()
    }

    /// Ends the listener and every connection at once. From any thread; final.
    public func stop() {
        _ = onCore { $0?.stop() }
        loop.execute { [stage] in stage.withLock { $0 = .stopped } }
    }

    /// Whether it counts nothing of any connection; on the loop only.
    var isEmpty: Bool { Self.core(in: stage)?.isEmpty ?? true }

    /// Who works at its handshakes; on the loop only.
    var handshakes: HandshakeWorkers? { Self.core(in: stage)?.handshakes }

    /// - Returns: whether `body` will run: not once the loop has been stopped.
    private func onCore(_ body: @escaping @Sendable (ServerCore?) -> Void) -> Bool {
        loop.executeUnlessStopped { [stage] in body(Self.core(in: stage)) }
    }

    /// What runs; on the loop only.
    private static func core(in stage: Lock<Stage>) -> ServerCore? {
        let core: LoopBound<ServerCore>? = stage.withLock { stage in
            if case .started(let core) = stage { core } else { nil }
        }
        return core?.value
    }

    private static func makeContext(_ configuration: TLSServerConfiguration) throws(TransportError) -> TLSContext {
        do {
            return try TLSContext(server: configuration)
        } catch {
            throw .tls(error)
        }
    }
}
