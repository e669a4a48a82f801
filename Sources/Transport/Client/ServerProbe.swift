/// The way to a server, one step at a time, for whoever wants to know where it ends. No request is sent.
public enum ServerProbe {
    /// The addresses of the endpoint's host, at least one.
    ///
    /// - Throws: `unreachable`, `timedOut`, `cancelled`.
    public static func addresses(
        of endpoint: Endpoint,
        limits: ClientLimits = .init()
    ) async throws(TransportError) -> [SocketAddress] {
        let loop = try ClientLoop.shared.get()
        let ticket = Ticket<[SocketAddress]>(on: loop)
        return try await ticket.wait { done in
            let timer = loop.schedule(after: limits.resolveTimeout) { done(.failure(.timedOut(.resolving))) }
            Resolver.resolve(endpoint, on: loop, done)
            return { timer.cancel() }
        }
    }

    /// Connects to an address, and lets go.
    ///
    /// - Throws: `unreachable`, `timedOut`, `cancelled`.
    public static func connect(
        to address: SocketAddress,
        limits: ClientLimits = .init()
    ) async throws(TransportError) {
        _ = try await dial(Endpoint(address), nil, limits)
    }

    /// Does TLS's handshake with the server at an address, and lets go whatever came of it.
    ///
    /// - Returns: the certificate, with what would have the handshake refused.
    /// - Throws: `tls` when there is no handshake at all, or the authority file cannot be used; otherwise as
    ///   ``connect(to:limits:)``.
    public static func certificate(
        of endpoint: Endpoint,
        at address: SocketAddress,
        tls: TLSClientConfiguration = .init(),
        limits: ClientLimits = .init()
    ) async throws(TransportError) -> PresentedCertificate {
        let context: TLSContext
        do throws(TLSFailure) {
            context = try TLSContext(client: tls, host: endpoint.host, isLookingOnly: true)
        } catch {
            throw .tls(error)
        }
        guard let certificate = try await dial(Endpoint(address, isSecure: true), context, limits) else {
            throw .tls(.protocolError(code: 0))
        }
        return certificate
    }

    private static func dial(
        _ endpoint: Endpoint,
        _ context: TLSContext?,
        _ limits: ClientLimits
    ) async throws(TransportError) -> PresentedCertificate? {
        let loop = try ClientLoop.shared.get()
        let ticket = Ticket<PresentedCertificate?>(on: loop)
        return try await ticket.wait { done in
            let dialer = Dialer(endpoint, tls: context, limits: limits, loop: loop) { result in
                done(
                    result.map { stream in
                        defer { stream.close() }
                        return stream.certificate
                    }
                )
            }
            dialer.start()
            let bound = LoopBound(dialer, on: loop.thread)
            return { bound.value.cancel() }
        }
    }
}
