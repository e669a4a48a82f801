import CFiles
import Glibc

/// A process that can be waited for and ended, a child or not (pidfd_open(2)). It stays the same one when another gets its
/// number.
public struct ProcessHandle: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// The process at the other end of a connection: the one that connected, or began to listen.
    ///
    /// - Throws: `SystemError`: `ESRCH` when it has ended and was waited for, `EPERM` when it lives where this process
    ///   cannot see it, in another PID namespace; before Linux 6.5 also `ENOTCONN`, when it has closed the connection,
    ///   so that its number may be another's by now.
    public init(of connection: UnixConnection) throws(SystemError) {
        try self.init(of: connection, asBeforeLinux65: false)
    }

    /// Finds it; `asBeforeLinux65: true` as where the kernel knows only the number of a socket's peer.
    package init(of connection: UnixConnection, asBeforeLinux65: Bool) throws(SystemError) {
        let peer = try connection.credentials()
        guard peer.pid > 0 else { throw SystemError("look at the process at the other end of a socket", code: EPERM) }
        descriptor = try connection.processDescriptor(of: peer, asBeforeLinux65: asBeforeLinux65)
    }

    /// Sends it a signal.
    ///
    /// - Throws: `SystemError`: `ESRCH` when it has ended and was waited for, `EPERM` when it is another user's.
    public borrowing func send(signal number: Int32) throws(SystemError) {
        guard pidfd_send_signal(descriptor.number, number, nil, 0) == 0 else {
            throw .last("send a signal to a process")
        }
    }

    /// Waits until it has ended, and for so long at most.
    ///
    /// - Returns: whether it has.
    public borrowing func hasEnded(within limit: Duration) -> Bool {
        let deadline = SuspendingClock.now + limit
        var wanted = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while true {
            let rest = deadline - .now
            // A long time is waited for in parts.
            let part = min(max(rest, .zero), .seconds(3600))
            let ready = unsafe poll(&wanted, 1, Int32((part / .milliseconds(1)).rounded(.up)))
            if ready > 0 { return true }
            let goesOn = ready == 0 ? part < rest : errno == EINTR
            guard goesOn else { return false }
        }
    }
}
