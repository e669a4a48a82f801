import Glibc

/// The process at the other end of a connection, held so that its program can be looked at for each thing it asks.
///
/// Who connected is settled when they connect (`PeerCredentials`); so is which process that was, and before Linux 6.5, where
/// it is found by its number, from here on. What it runs is not, and `look` asks for that anew each time.
public struct PeerHandle: ~Copyable, Sendable {
    private let connection: UnixConnection
    private let credentials: PeerCredentials
    /// Tells whether the number is still the process's own (pidfd_open(2)).
    private let process: Descriptor
    private let folder: ProcessFolder

    /// Finds the process at the other end.
    ///
    /// - Throws: `PeerProcessError`: `ended`, `outOfSight`. Whether the process may be looked at, `look` finds out. Before
    ///   Linux 6.5 it is the one that connected if that does not hand its connection on.
    public init(of connection: UnixConnection) throws(PeerProcessError) {
        try self.init(of: connection, asBeforeLinux65: false)
    }

    /// Finds it; `asBeforeLinux65: true` as where the kernel knows only the number of a socket's peer.
    package init(of connection: UnixConnection, asBeforeLinux65: Bool) throws(PeerProcessError) {
        let credentials: PeerCredentials
        do throws(SystemError) { credentials = try connection.credentials() } catch { throw PeerProcessError(error) }
        guard credentials.pid > 0 else { throw .outOfSight }
        do throws(SystemError) {
            let process = try connection.processDescriptor(of: credentials, asBeforeLinux65: asBeforeLinux65)
            try self.init(connection, credentials, process)
        } catch {
            throw PeerProcessError(error)
        }
    }

    /// Holds a process by its number and its descriptor.
    ///
    /// - Throws: `SystemError`, `ESRCH` when the number is not its own any more.
    package init(
        _ connection: UnixConnection,
        _ credentials: PeerCredentials,
        _ process: consuming Descriptor
    ) throws(SystemError) {
        let folder = try ProcessFolder(credentials.pid)
        // It lives, so it has had this number all the while, and the folder is its own.
        try Self.demandAlive(process)
        self.folder = folder
        self.connection = connection
        self.credentials = credentials
        self.process = process
    }

    /// Looks at what the process runs now.
    ///
    /// - Throws: `PeerProcessError`, as `PeerProcess(of:)` does.
    public borrowing func look() throws(PeerProcessError) -> PeerProcess {
        let executable: Executable
        do throws(SystemError) {
            executable = try folder.executable()
        } catch {
            throw PeerProcessError(error)
        }
        guard isThere else { throw .ended }
        return PeerProcess(credentials, executable)
    }

    /// Whether the process goes on, and the connection is not closed at its end.
    private var isThere: Bool {
        var wanted = [
            pollfd(fd: process.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection.socket.number, events: 0, revents: 0),
        ]
        return retryingOnInterrupt { unsafe poll(&wanted, 2, 0) } == 0
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
