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

    /// Looks at the program at the other end, once.
    ///
    /// - Throws: `PeerProcessError`, whenever it is not certain that everything said here is of that process, and of one
    ///   moment. Before Linux 6.5, where the process is found by its number, that takes a peer which does not hand
    ///   its connection on: one that has ended holds it no more.
    public init(of connection: UnixConnection) throws(PeerProcessError) {
        try self.init(of: connection, asBeforeLinux65: false)
    }

    /// Looks; `asBeforeLinux65: true` as where the kernel knows only the number of a socket's peer.
    package init(of connection: UnixConnection, asBeforeLinux65: Bool) throws(PeerProcessError) {
        self = try PeerHandle(of: connection, asBeforeLinux65: asBeforeLinux65).look()
    }

    init(_ credentials: PeerCredentials, _ executable: Executable) {
        self.credentials = credentials
        self.executable = executable
    }
}
