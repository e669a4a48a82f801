import CLinux
import Glibc
import MildamSystem

/// The socket calls, each once. Every socket is non-blocking and close-on-exec.
enum Sockets {
    private static let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    /// Listens on `address`, which a server that has just ended may still hold in TIME_WAIT.
    static func listen(on address: SocketAddress) throws(SystemError) -> Descriptor {
        let socket = try make(address)
        set(SOL_SOCKET, SO_REUSEADDR, on: socket.number)
        // Connections have these from the socket that they are accepted on.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, on: socket.number)
        set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, on: socket.number, to: unsentBytes)
        var (storage, length) = address.native
        let bound = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe bind(socket.number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard bound == 0, Glibc.listen(socket.number, 4096) == 0 else {
            throw .last("listen on", address.description)
        }
        return socket
    }

    /// The address that a socket is bound to.
    static func localAddress(of descriptor: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe getsockname(
                descriptor,
                UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
                &length
            )
        }
        guard code == 0, let address = SocketAddress(storage) else { throw .last("ask for the address of a socket") }
        return address
    }

    /// Takes one connection off the queue.
    ///
    /// - Throws: `EAGAIN` when there is none.
    static func accept(on listener: Int32) throws(SystemError) -> Accepted {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe accept4(
                listener,
                UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
                &length,
                flags
            )
        }
        guard number >= 0 else { throw .last("accept a connection") }
        let socket = Descriptor(owning: number)
        guard let peer = SocketAddress(storage) else { throw SystemError("accept a connection", code: EAFNOSUPPORT) }
        return Accepted(socket: socket, peer: peer)
    }

    /// Begins to connect; the socket becomes writable when it is known how that went (`pendingError`).
    static func connect(to address: SocketAddress) throws(SystemError) -> Descriptor {
        let socket = try make(address)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, on: socket.number)
        var (storage, length) = address.native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe Glibc.connect(
                socket.number,
                UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
                length
            )
        }
        guard code == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw .last("connect to", address.description)
        }
        return socket
    }

    /// The error that a socket has met since it was last asked; 0 for none.
    static func pendingError(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    /// POLLRDHUP, which the C library names only under _GNU_SOURCE.
    private static let finished: Int16 = 0x2000

    /// Whether the other side has finished sending, be what it sent read or not.
    static func hasFinished(_ descriptor: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: finished, revents: 0)
        return unsafe Glibc.poll(&poll, 1, 0) > 0
    }

    private static func make(_ address: SocketAddress) throws(SystemError) -> Descriptor {
        let number = socket(address.family, kind, 0)
        guard number >= 0 else { throw .last("make a socket for", address.description) }
        return Descriptor(owning: number)
    }

    /// How much the kernel keeps of what cannot be sent yet (tcp(7), TCP_NOTSENT_LOWAT). What is on its way to a client who
    /// reads is not counted, so that it slows nobody down; without it the kernel keeps megabytes for each who never reads.
    private static let unsentBytes: Int32 = 128 * 1024

    private static func set(_ level: Int32, _ option: Int32, on descriptor: Int32, to value: Int32 = 1) {
        var value = value
        // Each option only makes things better; a socket without it still works.
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A connection just accepted.
    struct Accepted: ~Copyable {
        let socket: Descriptor
        let peer: SocketAddress

        consuming func takeSocket() -> Descriptor { socket }
    }
}
