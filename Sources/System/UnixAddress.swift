import Glibc

/// A path, as sockets want it (unix(7)).
struct UnixAddress {
    private var native = sockaddr_un()

    /// The most bytes that a path may have: 107, and a zero behind them.
    static let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Takes a path.
    ///
    /// - Parameter operation: what is about to be done with it, as a verb phrase: "connect to".
    /// - Throws: `SystemError`: `ENOENT` for an empty path, `EINVAL` for one with a zero byte (which would be a name in no
    ///   folder, or be cut there), `ENAMETOOLONG` for more than 107 bytes.
    init(_ path: String, to operation: String) throws(SystemError) {
        let name = Array(path.utf8)
        guard !name.isEmpty else { throw SystemError(operation, path, code: ENOENT) }
        guard !name.contains(0) else { throw SystemError(operation, path, code: EINVAL) }
        guard name.count <= Self.limit else {
            let subject = "\(path), which is over the \(Self.limit) bytes that a socket's path may have"
            throw SystemError(operation, subject, code: ENAMETOOLONG)
        }
        native.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &native.sun_path) { unsafe $0.copyBytes(from: name) }
    }

    /// Gives a socket this name.
    ///
    /// - Returns: what `bind(2)` returns.
    func bind(_ socket: borrowing Descriptor) -> Int32 {
        let number = socket.number
        return unsafe withNative { unsafe Glibc.bind(number, $0, $1) }
    }

    /// Connects a socket with the one of this name.
    ///
    /// - Returns: what `connect(2)` returns.
    func connect(_ socket: borrowing Descriptor) -> Int32 {
        let number = socket.number
        return unsafe withNative { address, length in
            retryingOnInterrupt { unsafe Glibc.connect(number, address, length) }
        }
    }

    /// The pointer is valid in `body` only.
    private func withNative(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe withUnsafeBytes(of: native) { bytes in
            // A value has an address.
            let start = unsafe bytes.baseAddress.unsafelyUnwrapped
            return unsafe body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

extension Descriptor {
    /// A new UNIX stream socket, close-on-exec.
    ///
    /// - Parameter flags: `SOCK_NONBLOCK`, or 0.
    static func unixSocket(_ flags: UInt32 = 0) throws(SystemError) -> Descriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | flags), 0)
        guard number >= 0 else { throw .last("make a socket") }
        return Descriptor(owning: number)
    }
}
