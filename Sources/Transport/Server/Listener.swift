import Glibc
import MildamSystem

/// Accepts a server's connections.
final class Listener: Channel {
    /// Connections taken in one turn, so that those already there get theirs.
    private static let batch = 64
    /// How long to leave the queue alone when the process or the machine has no descriptors left: the listener stays
    /// readable all that time, and trying again at once would spin.
    private static let pause = Duration.milliseconds(100)

    private let server: ServerCore
    private let reactor: Reactor
    private let socket: SharedDescriptor
    private var id: ChannelID?

    init(_ socket: SharedDescriptor, server: ServerCore) throws(TransportError) {
        self.server = server
        self.socket = socket
        reactor = server.reactor
        do {
            id = try reactor.register(self, socket.number, .read)
        } catch {
            throw .system(error)
        }
    }

    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.batch where id != nil {
            do throws(SystemError) {
                guard server.accept(try Sockets.accept(on: socket.number)) else { return setReading(false) }
            } catch {
                switch error.code {
                case EAGAIN: return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    setReading(false)
                    if let id { reactor.setDeadline(Monotonic.after(Self.pause, from: reactor.now), of: id) }
                    return
                // A connection that broke while it waited (accept(2) passes its errors on): the next one.
                default: continue
                }
            }
        }
    }

    func deadlinePassed() {
        setReading(true)
    }

    func abort() {
        close()
    }

    /// There is room again.
    func resume() {
        setReading(true)
    }

    func close() {
        if let id { reactor.deregister(id) }
        id = nil
    }

    private func setReading(_ isReading: Bool) {
        if let id { reactor.setInterest(isReading ? .read : [], of: id) }
    }
}
