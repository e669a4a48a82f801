import Glibc
import MildamSystem

/// Opens one connection: looks the name up, tries each address in turn, does TLS's handshake. Lives on the loop.
final class Dialer: Channel {
    private let endpoint: Endpoint
    private let tls: TLSContext?
    private let limits: ClientLimits
    private let loop: EventLoop
    private var done: ((Result<SocketStream, TransportError>) -> Void)?
    private var addresses: ArraySlice<SocketAddress> = []
    private var lastError = TransportError.closed
    private var stream: SocketStream?
    private var socketNumber: Int32 = -1
    private var isConnected = false
    private var timer: TimerToken?

    /// - Parameter done: called once, on the loop, unless `cancel` comes first. It has to `transfer` the stream.
    init(
        _ endpoint: Endpoint,
        tls: TLSContext?,
        limits: ClientLimits,
        loop: EventLoop,
        done: @escaping (Result<SocketStream, TransportError>) -> Void
    ) {
        self.endpoint = endpoint
        self.tls = tls
        self.limits = limits
        self.loop = loop
        self.done = done
    }

    func start() {
        let bound = LoopBound(self, on: loop.thread)
        timer = loop.schedule(after: limits.resolveTimeout) { bound.value.finish(.failure(.timedOut(.resolving))) }
        Resolver.resolve(endpoint, on: loop) { result in bound.value.resolved(result) }
    }

    func cancel() {
        done = nil
        finish(.failure(.cancelled))
    }

    private func resolved(_ result: Result<[SocketAddress], TransportError>) {
        timer?.cancel()
        timer = nil
        guard done != nil else { return }
        switch result {
        case .success(let found):
            addresses = found[...]
            tryNext()
        case .failure(let error):
            finish(.failure(error))
        }
    }

    private func tryNext() {
        stream?.close()
        stream = nil
        isConnected = false
        guard let address = addresses.popFirst() else { return finish(.failure(lastError)) }
        do throws(TransportError) {
            try connect(to: address)
        } catch {
            lastError = error
            tryNext()
        }
    }

    private func connect(to address: SocketAddress) throws(TransportError) {
        let socket: Descriptor
        do {
            socket = try Sockets.connect(to: address)
        } catch {
            throw Self.unreachable(address, error.code)
        }
        socketNumber = socket.number
        let session: TLSSession?
        do throws(TLSFailure) {
            session = if let tls { try tls.makeSession(over: socket.number, isServer: false) } else { nil }
        } catch {
            throw .tls(error)
        }
        let stream = SocketStream(socket, peer: address, tls: session, on: loop.reactor.value)
        stream.awaitsConnection = true
        try stream.attach(to: self)
        stream.setDeadline(after: limits.connectTimeout)
        self.stream = stream
    }

    func ready(_ readiness: Readiness) {
        guard let stream else { return }
        do throws(TransportError) {
            if !isConnected {
                let code = Sockets.pendingError(of: socketNumber)
                guard code == 0 else { throw Self.unreachable(stream.peer, code) }
                // Nothing but a hang-up, and no error either: not yet.
                guard readiness.contains(.write) else { return }
                isConnected = true
                stream.awaitsConnection = false
            }
            guard try stream.handshake() else { return }
            stream.setDeadline(nil)
            self.stream = nil
            finish(.success(stream))
        } catch {
            lastError = error
            tryNext()
        }
    }

    func deadlinePassed() {
        lastError = .timedOut(isConnected ? .handshake : .connecting)
        tryNext()
    }

    func abort() {
        finish(.failure(.closed))
    }

    private func finish(_ result: Result<SocketStream, TransportError>) {
        timer?.cancel()
        timer = nil
        stream?.close()
        stream = nil
        addresses = []
        let call = done
        done = nil
        call?(result)
    }

    private static func unreachable(_ address: SocketAddress, _ code: Int32) -> TransportError {
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return .unreachable(address.description, reason: reason)
    }
}
