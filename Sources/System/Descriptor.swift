import Glibc

/// An open file descriptor that is closed when its owner goes.
public struct Descriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by. Valid only while this value lives.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens a file, close-on-exec.
    ///
    /// - Parameter mode: the permissions of a file that this call creates.
    /// - Throws: `SystemError` as `open(2)` gives it.
    public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) -> Descriptor {
        let number = retryingOnInterrupt { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        guard number >= 0 else { throw .last("open", path) }
        return Descriptor(owning: number)
    }

    /// Another descriptor of the same open file; both have one position.
    public borrowing func duplicate() throws(SystemError) -> Descriptor {
        let other = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard other >= 0 else { throw .last("duplicate a descriptor") }
        return Descriptor(owning: other)
    }

    /// Writes every byte at the current position.
    public borrowing func write(_ bytes: Span<UInt8>, path: String? = nil) throws(SystemError) {
        try unsafe writeAll(bytes, path) { unsafe Glibc.write(number, $0, $1) }
    }

    /// Writes every byte at `offset`, leaving the current position alone.
    public borrowing func write(_ bytes: Span<UInt8>, at offset: Int, path: String? = nil) throws(SystemError) {
        var position = off_t(offset)
        try unsafe writeAll(bytes, path) { start, count in
            let written = unsafe pwrite(number, start, count, position)
            position += off_t(max(written, 0))
            return written
        }
    }

    private borrowing func writeAll(
        _ bytes: Span<UInt8>,
        _ path: String?,
        by call: (UnsafeRawPointer, Int) -> Int
    ) throws(SystemError) {
        let code: Int32 = unsafe bytes.withUnsafeBytes { buffer in
            var rest = unsafe buffer[...]
            while unsafe !rest.isEmpty {
                guard let start = unsafe UnsafeRawBufferPointer(rebasing: rest).baseAddress else { break }
                let written = unsafe call(start, rest.count)
                if written < 0 {
                    if errno == EINTR { continue }
                    if errno == EAGAIN, waitUntilReady(POLLOUT) { continue }
                    return errno
                }
                unsafe rest = rest.dropFirst(written)
            }
            return 0
        }
        guard code == 0 else { throw SystemError("write", path, code: code) }
    }

    /// Waits for a descriptor that somebody who shares it has made non-blocking.
    ///
    /// - Parameter event: `POLLIN` or `POLLOUT`.
    package borrowing func waitUntilReady(_ event: Int32) -> Bool {
        var wanted = pollfd(fd: number, events: Int16(event), revents: 0)
        return unsafe poll(&wanted, 1, -1) >= 0 || errno == EINTR
    }

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    public borrowing func read(upTo count: Int, at offset: Int, path: String? = nil) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let start = buffer.baseAddress {
                let got = unsafe pread(number, start + filled, count - filled, off_t(offset + filled))
                if got < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                    return
                }
                if got == 0 { return }
                filled += got
            }
        }
        guard failure == 0 else { throw SystemError("read", path, code: failure) }
        return bytes
    }

    /// The file's size in bytes.
    public borrowing func size(path: String? = nil) throws(SystemError) -> Int {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last("look at", path) }
        return Int(status.st_size)
    }

    /// Waits until the file's data is on the disk (`fdatasync`).
    public borrowing func synchronize(path: String? = nil) throws(SystemError) {
        guard retryingOnInterrupt({ fdatasync(number) }) == 0 else { throw .last("sync", path) }
    }
}

/// Repeats a system call that a signal interrupted.
func retryingOnInterrupt(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
