/// The connections of one HTTP client, and the requests that wait for one. Lives on the client's loop.
final class ClientPool {
    private let endpoint: Endpoint
    private let tls: TLSContext?
    private let limits: ClientLimits
    private let loop: EventLoop
    private var idle: [ClientConnection] = []
    private var all: [ObjectIdentifier: ClientConnection] = [:]
    private var dialers: [ObjectIdentifier: Dialer] = [:]
    private var waiting: [HTTPExchange] = []
    private var isClosed = false

    init(_ endpoint: Endpoint, tls: TLSContext?, limits: ClientLimits, loop: EventLoop) {
        self.endpoint = endpoint
        self.tls = tls
        self.limits = limits
        self.loop = loop
    }

    /// Sends a request over an idle connection, a new one, or the next to become free.
    func send(_ exchange: HTTPExchange) {
        guard !isClosed else { return exchange.finish(.failure(.closed)) }
        if let connection = idle.popLast() { return connection.begin(exchange) }
        wait(exchange)
        dialIfNeeded()
    }

    /// Sends again what met a closed connection, and over no other kept one.
    func retry(_ exchange: HTTPExchange) {
        guard !isClosed else { return exchange.finish(.failure(.closed)) }
        // The others are most likely as stale.
        for connection in idle { connection.close() }
        wait(exchange, first: true)
        dialIfNeeded()
    }

    func becameIdle(_ connection: ClientConnection) {
        guard !isClosed else { return connection.close() }
        if let exchange = nextWaiting() {
            connection.begin(exchange)
        } else {
            idle.append(connection)
        }
    }

    func ended(_ connection: ClientConnection) {
        idle.removeAll { $0 === connection }
        all[ObjectIdentifier(connection)] = nil
        dialIfNeeded()
    }

    /// Ends every connection and fails what is under way.
    func close() {
        isClosed = true
        for dialer in dialers.values { dialer.cancel() }
        dialers = [:]
        for exchange in waiting { exchange.abandon(.closed) }
        waiting = []
        for connection in all.values { connection.close() }
    }

    private func wait(_ exchange: HTTPExchange, first: Bool = false) {
        if first { waiting.insert(exchange, at: 0) } else { waiting.append(exchange) }
        exchange.onAbandon = { [weak self] in self?.gaveUp(exchange) }
    }

    private func gaveUp(_ exchange: HTTPExchange) {
        waiting.removeAll { $0 === exchange }
        // A connection that nobody waits for any more is not worth finishing.
        if waiting.isEmpty {
            for dialer in dialers.values { dialer.cancel() }
            dialers = [:]
        }
    }

    private func nextWaiting() -> HTTPExchange? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func dialIfNeeded() {
        guard !isClosed else { return }
        while dialers.count < waiting.count, dialers.count + all.count < max(1, limits.maxConnections) { dial() }
    }

    private func dial() {
        var identifier: ObjectIdentifier?
        let dialer = Dialer(endpoint, tls: tls, limits: limits, loop: loop) { [weak self] result in
            guard let self, let identifier else { return }
            dialers[identifier] = nil
            dialed(result)
        }
        identifier = ObjectIdentifier(dialer)
        dialers[ObjectIdentifier(dialer)] = dialer
        dialer.start()
    }

    private func dialed(_ result: Result<SocketStream, TransportError>) {
        switch result {
        case .success(let stream):
            let connection = ClientConnection(stream, pool: self, limits: limits)
            all[ObjectIdentifier(connection)] = connection
            if let exchange = nextWaiting() {
                connection.begin(exchange)
            } else {
                stream.setDeadline(after: limits.keepAlive)
                idle.append(connection)
            }
        case .failure(let error):
            // The server cannot be reached: whoever waits learns it, unless another connection will serve them.
            guard all.isEmpty, dialers.isEmpty else { return }
            let failed = waiting
            waiting = []
            for exchange in failed { exchange.finish(.failure(error)) }
        }
    }
}
