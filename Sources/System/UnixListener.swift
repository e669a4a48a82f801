import CFiles
import Glibc

/// A UNIX socket that other programs of the same user connect to (unix(7)).
///
/// It lies in a folder that only its owner may enter (0700), and has permissions 0600 itself. Beside it lies a file of
/// the same name and ".lock", which is kept locked while anybody listens, and stays: so of two who begin at once one is
/// refused, and a socket whose owner was killed is replaced. Any thread may call it.
public final class UnixListener: Sendable {
    /// Where it is.
    public let path: String
    private let socket: Descriptor
    /// The lock, and the file that is to be removed; `nil` once closed.
    private let place: Lock<Place?>

    private final class Place: Sendable {
        let lock: ProcessLock
        let file: FileIdentity?

        init(_ lock: consuming ProcessLock, _ file: FileIdentity?) {
            self.lock = lock
            self.file = file
        }
    }

    /// Listens at `path`; its folder is made where it is missing.
    ///
    /// - Parameter path: 107 bytes at most.
    /// - Throws: `SystemError`: `EADDRINUSE` when another listens there, `EACCES` when the folder is another's or open to
    ///   others, or one on the way there could be another's work (`distrust`), `EEXIST` when something that is no socket has the name, `ENAMETOOLONG`; and as the calls give it.
    public init(at path: String) throws(SystemError) {
        let address = try UnixAddress(path, to: Self.operation)
        try TrustedFolder.create(Folder.parent(of: path))
        guard let lock = try ProcessLock(taking: path + ".lock") else { throw Self.taken(path) }
        try Self.removeAbandoned(path, address)
        let socket = try Descriptor.unixSocket()
        // Linux gives the name the permissions of the socket; once it has one, nobody can come before they are set.
        guard fchmod(socket.number, 0o600) == 0, address.bind(socket) == 0 else {
            throw .last(Self.operation, path)
        }
        guard listen(socket.number, Self.backlog) == 0 else {
            let error = SystemError.last(Self.operation, path)
            unsafe unlink(path)
            throw error
        }
        self.path = path
        self.socket = socket
        place = Lock(Place(lock, FileIdentity(path)))
    }

    deinit {
        close()
    }

    private static let operation = "listen at"

    /// How many connections may wait to be accepted; who comes then has to wait to connect.
    private static let backlog: Int32 = 64

    /// Waits for the next who connects.
    ///
    /// - Returns: `nil` when the listener was closed.
    /// - Throws: `SystemError`; with `EMFILE` or `ENFILE`, when there are no descriptors left, the other still waits, so
    ///   that the next call fails at once unless some are closed before.
    public func accept() throws(SystemError) -> UnixConnection? {
        while true {
            let number = accept4(socket.number, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            if number >= 0 { return UnixConnection(Descriptor(owning: number), path) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EINVAL: return nil
            default: throw .last("accept a connection at", path)
            }
        }
    }

    /// Ends listening: removes the socket, lets another take the place, and has `accept` return. Connections stay.
    public func close() {
        let held = place.withLock { place in
            defer { place = nil }
            return place
        }
        guard let held else { return }
        if let file = held.file, FileIdentity(path) == file { unsafe unlink(path) }
        shutdown(socket.number, Int32(SHUT_RDWR))
    }

    private static func taken(_ path: String) -> SystemError { SystemError(operation, path, code: EADDRINUSE) }

    /// Removes a socket that nobody answers at. For the lock's holder only: a socket that is named and does not listen yet
    /// does not answer, either.
    private static func removeAbandoned(_ path: String, _ address: UnixAddress) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .last(operation, path) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(operation, path, code: EEXIST) }
        let probe = try Descriptor.unixSocket(SOCK_NONBLOCK.rawValue)
        guard address.connect(probe) != 0, errno == ECONNREFUSED else { throw taken(path) }
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last(operation, path) }
    }
}
