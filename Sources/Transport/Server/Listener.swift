import Glibc
import MildamSystem

/// Accepts a server's connections.
final class Listener: Channel {
    /// Connections taken in one turn, so that those already there get theirs.
    private static let batch = 64
    /// How many are looked at for that: whoever is hung up on costs little, and is not what the next one waits behind.
    private static let looks = 1_024
    /// How long to leave the queue alone when the process or the machine has no descriptors left: the listener stays
    /// readable all that time, and trying again at once would spin.
    private static let pause = Duration.milliseconds(100)
    /// How long to leave the queue alone after somebody was hung up on, so that a flood of such does not wake the loop for each.
    private static let breath = Duration.milliseconds(1)

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
        var (looks, taken) = (0, 0)
        var isFlood = false
        while id != nil, looks < Self.looks, taken < Self.batch {
            looks += 1
            do throws(SystemError) {
                if server.accept(try Sockets.accept(on: socket.number)) { taken += 1 } else { isFlood = true }
                guard server.hasRoom else { return setReading(false) }
            } catch {
                switch error.code {
                case EAGAIN:
                    if isFlood { rest(for: Self.breath) }
                    return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    return rest(for: Self.pause)
                // A connection that broke while it waited (accept(2) passes its errors on): the next one.
                default: continue
                }
            }
        }
    }

    /// Leaves the queue alone for a while.
    private func rest(for span: Duration) {
        setReading(false)
        if let id { reactor.setDeadline(Monotonic.after(span, from: reactor.now), of: id) }
    }

    func deadlinePassed() {
        if server.hasRoom { setReading(true) }
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
