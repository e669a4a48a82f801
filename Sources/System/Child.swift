import Glibc

/// A program that was started to be spoken with: what it reads and writes is one end of a socket, the other is here.
///
/// Its standard error is this process's own, or goes where its output goes. When its owner goes, the socket is closed and
/// the program asked to end (SIGINT); if it has not after two seconds, it is made to.
public struct Child: ~Copyable {
    /// Where what the program writes to standard error goes.
    public enum Errors: Sendable {
        /// To this process's own.
        case inherited
        /// To where its output goes.
        case withOutput
    }

    let channel: Descriptor
    private let process: pid_t
    let path: String
    /// The status that it ended with, once that was asked for.
    private var ended: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program's; nothing is looked for.
    ///   - environment: "NAME=value", all of it.
    /// - Throws: `SystemError` as `posix_spawn(3)` gives it.
    public init(
        _ path: String,
        _ arguments: [String],
        environment: [String],
        errors: Errors = .inherited
    ) throws(SystemError) {
        let pair = try SocketPair()
        let theirs = pair.theirs.number
        let streams = errors == .withOutput ? [theirs, theirs, theirs] : [theirs, theirs]
        process = try Launch(path: path, arguments: arguments, environment: environment, streams: streams).start()
        channel = pair.own
        self.path = path
    }

    deinit {
        shutdown(channel.number, Int32(SHUT_RDWR))
        // Who was waited for is no more, and the number may be another's.
        guard ended == nil else { return }
        // It may wait for somebody's finger, and not for its input.
        kill(process, SIGINT)
        for _ in 0..<Self.patience {
            if wait(WNOHANG) != nil { return }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        _ = wait(0)
    }

    /// For how many hundredths of a second a program may tidy up after SIGINT.
    private static let patience = 200

    /// The status that it ended with, and no process any more; `nil` while it runs.
    private borrowing func wait(_ options: Int32) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(process, &status, options)
            if ended == 0 { return nil }
            // The low seven bits are the signal that ended it; the byte above them is what it exited with.
            if ended > 0 { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
            guard errno == EINTR else { return 128 }
        }
    }

    /// The status that the program ends with: what it exited with, or 128 and the signal that ended it.
    ///
    /// - Parameter seconds: for how long to wait for its end.
    /// - Throws: `SystemError`, `ETIMEDOUT` while it runs.
    public mutating func status(within seconds: Int) throws(SystemError) -> Int32 {
        for _ in 0..<max(seconds * 100, 1) {
            if let ended { return ended }
            ended = wait(WNOHANG)
            if ended == nil { usleep(10_000) }
        }
        guard let ended else { throw SystemError("wait for", path, code: ETIMEDOUT) }
        return ended
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

    /// Ends the program's input: it reads its end once it has read what was written.
    public borrowing func endInput() { shutdown(channel.number, Int32(SHUT_WR)) }

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
