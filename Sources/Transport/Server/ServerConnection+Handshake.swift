/// TLS's handshake. Its steps are worked at elsewhere, one at a time; what was lent for one comes back, or goes with it.
extension ServerConnection {
    /// Where a handshake stands.
    enum Handshake {
        /// The client has said nothing yet.
        case awaited
        /// The client has to go on.
        case open
        /// A step waits for a worker, or is worked at. Session and socket are not here.
        case away(HandshakeWorkers.Place)
    }

    func continueHandshake(_ handshake: Handshake, _ readiness: Readiness) {
        // A connection that broke; while a step is away nothing else is told.
        guard !readiness.contains(.hangup) else { return end() }
        switch handshake {
        case .awaited:
            // Before libssl sees a byte of it, and whether or not a session is to be resumed.
            guard !stream.isFinished, server.handler.admitsHandshake(peer) else { return end() }
            beginStep(isFirst: true)
        case .open:
            beginStep(isFirst: false)
        case .away:
            break
        }
    }

    private func beginStep(isFirst: Bool) {
        guard let job = stream.lendHandshake(isFirst: isFirst), let place = server.handshakes?.put(job, of: self) else {
            return end()
        }
        phase = .handshake(.away(place))
    }

    /// A step was taken. What comes back for a connection that has ended goes here.
    func handshakeReturned(_ job: HandshakeJob) {
        guard case .handshake(.away) = phase else { return }
        guard let isDone = try? stream.takeBack(job) else { return end() }
        guard isDone else {
            phase = .handshake(.open)
            return
        }
        phase = .head(HTTPHeadParser(server.limits))
        stream.setDeadline(after: server.limits.headTimeout)
        receive()
    }
}
