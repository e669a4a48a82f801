import Glibc
import MildamSystem

/// The threads on which a server's handshakes are worked at, so that those who are connected wait for none of them. Networks
/// take turns, and the addresses of each: who begins a thousand handshakes at once, from whatever addresses of one network,
/// makes nobody else wait for more than one of them. A handshake that goes on has a turn beside those that its address has
/// yet to begin, and waits for one of them at most. The threads stand back for the loop's, and for other programs.
final class HandshakeWorkers: Sendable {
    typealias Queue = FairQueue<UInt64, Line, Errand>
    typealias Place = Queue.Turns.Place

    /// What takes turns within a network.
    struct Line: Hashable {
        let address: UInt64
        let isFirst: Bool
    }

    /// A step to be worked at, and who waits for it.
    struct Errand: Sendable {
        let job: HandshakeJob
        let connection: LoopBound<ServerConnection>
        let loop: EventLoop

        /// Works, and hands the job back. A loop that has ended drops it, and session and socket with it.
        func run() {
            job.work()
            loop.execute { [job, connection] in connection.value.handshakeReturned(job) }
        }
    }

    /// Half of the processors: the others are for those who are connected.
    static let usualCount = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2))

    let queue: Queue
    private let loop: EventLoop

    /// Starts the threads.
    init(_ limits: ServerLimits, on loop: EventLoop) throws(TransportError) {
        let queue = Queue(
            limit: limits.maxWaitingHandshakes,
            share: limits.maxWaitingHandshakesPerAddress
        )
        self.queue = queue
        self.loop = loop
        for _ in 0..<limits.handshakeThreads {
            // They hold the queue and not its owner, who ends them.
            let isStarted = Thread.detach(named: "tls-handshakes") {
                Thread.standBack()
                while let errand = queue.take() { errand.run() }
            }
            guard isStarted else {
                queue.close()
                throw .system(SystemError("start a thread", code: EAGAIN))
            }
        }
    }

    deinit {
        queue.close()
    }

    /// Leaves a step to be worked at; `ServerConnection.handshakeReturned(_:)` is called when it is done. On the loop.
    ///
    /// - Returns: `nil` when too many wait.
    func put(_ job: HandshakeJob, of connection: ServerConnection) -> Place? {
        let errand = Errand(job: job, connection: LoopBound(connection, on: loop.thread), loop: loop)
        let peer = connection.peer
        let line = Line(address: peer.neighbour, isFirst: job.isFirst)
        guard case .taken(let place, let displaced) = queue.put(errand, of: line, in: peer.network) else {
            return nil
        }
        displaced?.connection.value.end()
        return place
    }

    /// Takes a step back, unless it is being worked at already.
    func remove(_ place: Place) {
        _ = queue.remove(place)
    }

    /// Ends the threads.
    func close() {
        queue.close()
    }
}
