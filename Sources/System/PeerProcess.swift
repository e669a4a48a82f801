import Glibc

/// The program at the other end of a connection: which file its process runs, and for whom.
///
/// It is what holds at the moment of asking. Who connected may have begun another program since then in the same process,
/// which keeps its number, and may have handed it the connection: so this is asked for when it is needed, and never kept
/// for later. Of a script only the interpreter is known, which is the same for every script. And a process can
/// be made to do what another one of its user wants (ptrace(2), LD_PRELOAD). So this tells programs apart that mean no
/// harm; it keeps out nobody who has the same user's rights.
public struct PeerProcess: Hashable, Sendable {
    /// Who connected.
    public let credentials: PeerCredentials
    /// What it runs.
    public let executable: Executable

    /// Looks at the program at the other end.
    ///
    /// - Throws: `PeerProcessError`, whenever it is not certain that everything said here is of that process, and of one
    ///   moment. Before Linux 6.5, where the process is found by its number, that takes a peer which does not hand
    ///   its connection on: one that has ended holds it no more.
    public init(of connection: UnixConnection) throws(PeerProcessError) {
        try self.init(of: connection, asBeforeLinux65: false)
    }

    /// Looks; `asBeforeLinux65: true` as where the kernel knows only the number of a socket's peer.
    package init(of connection: UnixConnection, asBeforeLinux65: Bool) throws(PeerProcessError) {
        let credentials: PeerCredentials
        let process: Descriptor
        do throws(SystemError) {
            credentials = try connection.credentials()
        } catch {
            throw PeerProcessError(error)
        }
        guard credentials.pid > 0 else { throw .outOfSight }
        do throws(SystemError) {
            process = try connection.processDescriptor(of: credentials, asBeforeLinux65: asBeforeLinux65)
        } catch {
            throw PeerProcessError(error)
        }
        try self.init(credentials, process: process)
        guard !connection.isHungUp else { throw .ended }
    }

    /// Looks at a process.
    ///
    /// - Parameter process: its descriptor (pidfd_open(2)), which tells whether the number is still its own.
    package init(_ credentials: PeerCredentials, process: borrowing Descriptor) throws(PeerProcessError) {
        do throws(SystemError) {
            let folder = try ProcessFolder(credentials.pid)
            // It lives, so it has had this number all the while, and the folder is its own.
            try Self.demandAlive(process)
            executable = try folder.executable()
            try Self.demandAlive(process)
        } catch {
            throw PeerProcessError(error)
        }
        self.credentials = credentials
    }

    /// A descriptor of a process can be read when it has ended.
    ///
    /// - Throws: `SystemError`, `ESRCH` when it has.
    static func demandAlive(_ process: borrowing Descriptor) throws(SystemError) {
        var wanted = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        let ended = retryingOnInterrupt { unsafe poll(&wanted, 1, 0) }
        guard ended == 0 else { throw SystemError("look at a process", code: ESRCH) }
    }
}
