/// One step of a server's handshake, away from its loop. The job alone holds session and socket: the stream that lent them
/// has neither until it takes the job back, so that no two threads can reach them at once.
final class HandshakeJob: @unchecked Sendable {  // handed from one holder to the next: stream, queue, worker, stream
    private var held: (session: TLSSession, socket: SharedDescriptor)?
    private var outcome = TLSSession.Outcome.wantsRead
    /// Whether the other side can have said its first word only.
    let isFirst: Bool

    init(_ session: TLSSession, _ socket: SharedDescriptor, isFirst: Bool) {
        held = (session, socket)
        self.isFirst = isFirst
    }

    /// Takes the step, on whatever thread. Nothing is worked out for a client who said hello and left.
    func work() {
        guard let held else { return }
        outcome = isFirst && Sockets.hasFinished(held.socket.number) ? .end : held.session.handshake()
    }

    /// Gives everything back, once, with what came of the step.
    func end() -> (session: TLSSession, socket: SharedDescriptor, outcome: TLSSession.Outcome)? {
        guard let (session, socket) = held else { return nil }
        held = nil
        return (session, socket, outcome)
    }
}
