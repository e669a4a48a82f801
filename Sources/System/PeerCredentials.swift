import CFiles
import Glibc

/// Who is at the other end of a UNIX socket, as the kernel noted it when they connected, or began to listen (unix(7),
/// SO_PEERCRED).
///
/// Whoever connected may have handed the connection on, to a child or through another socket: the credentials stay.
public struct PeerCredentials: Hashable, Sendable {
    /// The process's number; 0 when it lives where this process cannot see it, in another PID namespace.
    public let pid: pid_t
    /// The effective user.
    public let uid: uid_t
    /// The effective group.
    public let gid: gid_t

    package init(pid: pid_t, uid: uid_t, gid: gid_t) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}

extension UnixConnection {
    /// Who is at the other end.
    public func credentials() throws(SystemError) -> PeerCredentials {
        var peer = socketPeer()
        var length = socklen_t(MemoryLayout<socketPeer>.size)
        guard unsafe getsockopt(socket.number, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else {
            throw .last("ask who is at the other end of a socket")
        }
        return PeerCredentials(pid: peer.process, uid: peer.user, gid: peer.group)
    }

    /// A descriptor of the process at the other end (pidfd_open(2)), which stays its own when another gets its number.
    ///
    /// - Parameter peer: whose number is looked up where the kernel does not give the descriptor of a socket's peer:
    ///   before Linux 6.5.
    /// - Throws: `SystemError`: `ESRCH` when it has ended and was waited for; before Linux 6.5 also `ENOTCONN`, when it
    ///   has closed the connection, so that its number may be another's by now.
    package func processDescriptor(
        of peer: PeerCredentials,
        asBeforeLinux65: Bool = false
    ) throws(SystemError) -> Descriptor {
        var descriptor: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        if !asBeforeLinux65 {
            if unsafe getsockopt(socket.number, SOL_SOCKET, Int32(socketPeerDescriptor), &descriptor, &length) == 0 {
                return Descriptor(owning: descriptor)
            }
            guard errno == ENOPROTOOPT else {
                // The first kernels with this option call a process that is gone an invalid argument.
                throw SystemError("look at process", "\(peer.pid)", code: errno == EINVAL ? ESRCH : errno)
            }
        }
        descriptor = pidfd_open(peer.pid, 0)
        guard descriptor >= 0 else { throw .last("look at process", "\(peer.pid)") }
        let process = Descriptor(owning: descriptor)
        // Who still holds the connection has not ended, and has its number still.
        guard isHungUp else { return process }
        try PeerHandle.demandAlive(process)
        throw SystemError("look at process", "\(peer.pid)", code: ENOTCONN)
    }
}
