import Glibc

/// One end of a connection between two programs over a UNIX socket; closed when its last owner lets go.
///
/// One thread may receive while another sends. A time limit is for the whole of what a call is to do, however small the
/// pieces are in which the other side lets it happen; time in which the machine sleeps does not count.
public final class UnixConnection: Sendable {
    let socket: Descriptor
    private let path: String

    /// Takes a connected socket; `path` is for errors.
    init(_ socket: consuming Descriptor, _ path: String) {
        self.socket = socket
        self.path = path
    }

    /// Connects with a program of this user's that listens at `path`, in a folder that nobody else may enter: what another
    /// user has put there is not spoken with.
    ///
    /// - Parameter limit: how long to wait when more are waiting already than the listener lets wait.
    /// - Throws: `SystemError`: `ENOENT` where nothing is, `ECONNREFUSED` where nobody listens any more, `ETIMEDOUT`,
    ///   `ENAMETOOLONG` for a path of more than 107 bytes; `EACCES` with `distrust`.
    public static func connect(
        to path: String,
        within limit: Duration = .seconds(5)
    ) throws(SystemError) -> UnixConnection {
        let address = try UnixAddress(path, to: "connect to")
        try TrustedFolder.check(Folder.parent(of: path))
        let socket = try Descriptor.unixSocket()
        var time = timeval(max(limit, .milliseconds(1)))
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0 else {
            throw .last("limit the time to connect to", path)
        }
        guard address.connect(socket) == 0 else {
            throw SystemError("connect to", path, code: errno == EAGAIN ? ETIMEDOUT : errno)
        }
        let connection = UnixConnection(socket, path)
        let user = try connection.credentials().uid
        guard user == geteuid() else { throw SystemError(UntrustedPlace(path, .owner(user))) }
        return connection
    }

    /// Sends every byte.
    ///
    /// - Parameter limit: `nil`: waits for as long as the other side does not read.
    /// - Throws: `SystemError`: `EPIPE` when the other side is gone, `ETIMEDOUT`; how much was sent is not known then, and
    ///   the connection is of no more use.
    public func send(_ bytes: Span<UInt8>, within limit: Duration? = nil) throws(SystemError) {
        let deadline = limit.map { SuspendingClock.now + $0 }
        var sent = 0
        while sent < bytes.count {
            let rest = bytes.extracting(sent...)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, until: deadline, to: "write to")
            } else if errno != EINTR {
                throw .last("write to", path)
            }
        }
    }

    /// Receives as many bytes as the buffer has.
    ///
    /// - Parameter limit: `nil`: waits for as long as the other side does not send.
    /// - Returns: `false` when the other side ended the connection before the first of them.
    /// - Throws: `SystemError`: `ECONNRESET` when it ended behind the first of them, or without reading what it was sent;
    ///   `ETIMEDOUT`. The connection is of no more use then.
    public func receive(
        into buffer: inout MutableSpan<UInt8>,
        within limit: Duration? = nil
    ) throws(SystemError) -> Bool {
        let deadline = limit.map { SuspendingClock.now + $0 }
        var filled = 0
        while filled < buffer.count {
            let count = try receive(into: &buffer, from: filled, until: deadline)
            if count == 0 {
                guard filled == 0 else { throw SystemError("read from", path, code: ECONNRESET) }
                return false
            }
            filled += count
        }
        return true
    }

    /// Receives what has come, and waits for it if need be.
    ///
    /// - Parameter start: where in the buffer it is to go; before the buffer's end.
    /// - Returns: how many bytes; 0 when the other side has ended the connection.
    package func receive(
        into buffer: inout MutableSpan<UInt8>,
        from start: Int = 0,
        until deadline: SuspendingClock.Instant?
    ) throws(SystemError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe recv(socket.number, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            if errno == EAGAIN {
                try wait(for: POLLIN, until: deadline, to: "read from")
            } else if errno != EINTR {
                throw .last("read from", path)
            }
        }
    }

    /// Ends the connection in both directions, also for a thread that waits in `send` or `receive`.
    public func shutdown() {
        Glibc.shutdown(socket.number, Int32(SHUT_RDWR))
    }

    /// Whether the other side has closed its end, be there something left to be received.
    var isHungUp: Bool {
        var wanted = pollfd(fd: socket.number, events: 0, revents: 0)
        return retryingOnInterrupt { unsafe poll(&wanted, 1, 0) } > 0
    }

    /// Waits until the next call will not have to, or tells what is wrong.
    private func wait(
        for event: Int32,
        until deadline: SuspendingClock.Instant?,
        to operation: String
    ) throws(SystemError) {
        var wanted = pollfd(fd: socket.number, events: Int16(event), revents: 0)
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let rest = deadline - .now
                guard rest > .zero else { throw SystemError(operation, path, code: ETIMEDOUT) }
                // Rounded up; a long time is waited for in parts.
                milliseconds = Int32((min(rest, .seconds(3600)) / .milliseconds(1)).rounded(.up))
            }
            let ready = unsafe poll(&wanted, 1, milliseconds)
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .last(operation, path) }
        }
    }
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
