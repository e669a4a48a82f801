import Glibc

/// A program that was started to be spoken with: what it reads and writes is one end of a socket, the other is here.
///
/// Its standard error is this process's own. When its owner goes, the socket is closed and the program asked to end
/// (SIGINT); if it has not after two seconds, it is made to.
public struct Child: ~Copyable {
    private let channel: Descriptor
    private let process: pid_t
    private let path: String

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program's; nothing is looked for.
    ///   - environment: "NAME=value", all of it.
    /// - Throws: `SystemError` as `posix_spawn(3)` gives it.
    public init(_ path: String, _ arguments: [String], environment: [String]) throws(SystemError) {
        let pair = try SocketPair()
        let streams = [pair.theirs.number, pair.theirs.number]
        process = try Launch(path: path, arguments: arguments, environment: environment, streams: streams).start()
        channel = pair.own
        self.path = path
    }

    deinit {
        shutdown(channel.number, Int32(SHUT_RDWR))
        // It may wait for somebody's finger, and not for its input.
        kill(process, SIGINT)
        for _ in 0..<Self.patience {
            if hasEnded(WNOHANG) { return }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        _ = hasEnded(0)
    }

    /// For how many hundredths of a second a program may tidy up after SIGINT.
    private static let patience = 200

    /// Whether it has ended, and was waited for.
    private borrowing func hasEnded(_ options: Int32) -> Bool {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(process, &status, options)
            if ended == 0 { return false }
            if ended > 0 || errno != EINTR { return true }
        }
    }

    /// Writes every byte.
    ///
    /// - Throws: `SystemError`, `EPIPE` when the program has ended.
    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let rest = bytes.extracting(sent...)
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(channel.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("write to", path) }
            sent += count
        }
    }

    /// Reads what has come, and waits for it if need be.
    ///
    /// - Returns: how many bytes now stand at the buffer's start; 0 when the program has ended, or closed its output.
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(channel.number, $0.baseAddress, $0.count, 0)
            }
            if count >= 0 { return count }
            if errno == ECONNRESET { return 0 }
            guard errno == EINTR else { throw .last("read from", path) }
        }
    }
}
