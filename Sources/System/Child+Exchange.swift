import Glibc

extension Child {
    /// Gives the program all of its input, and takes all of its output, whichever comes first.
    ///
    /// A program that ends without having read everything has said what it had to say.
    ///
    /// - Parameter seconds: how long that may take.
    /// - Returns: how many bytes of output stand at the buffer's start.
    /// - Throws: `SystemError`: `ETIMEDOUT`; `EMSGSIZE` when there is more output than the buffer takes.
    public borrowing func exchange(
        _ input: Span<UInt8>,
        for output: inout MutableSpan<UInt8>,
        within seconds: Int
    ) throws(SystemError) -> Int {
        let end = Self.milliseconds() + Int64(seconds) * 1000
        var sent = 0
        var received = 0
        if input.isEmpty { shutdown(channel.number, Int32(SHUT_WR)) }
        while true {
            let left = end - Self.milliseconds()
            guard left > 0 else { throw SystemError("hear from", path, code: ETIMEDOUT) }
            var wanted = pollfd(fd: channel.number, events: Int16(POLLIN), revents: 0)
            if sent < input.count { wanted.events |= Int16(POLLOUT) }
            let ready = unsafe poll(&wanted, 1, Int32(min(left, 60_000)))
            guard ready >= 0 || errno == EINTR else { throw .last("hear from", path) }
            if ready > 0, wanted.revents & Int16(POLLOUT) != 0 {
                sent += send(input.extracting(sent...))
                if sent == input.count { shutdown(channel.number, Int32(SHUT_WR)) }
            }
            if ready > 0, wanted.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                guard let count = try receive(&output, behind: received) else { return received }
                received += count
            }
        }
    }

    /// Sends what fits now; all of it counts as sent when nobody reads any more.
    private borrowing func send(_ bytes: Span<UInt8>) -> Int {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(channel.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        guard count < 0 else { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : bytes.count
    }

    /// Receives what has come, behind what had; `nil` at the end.
    private borrowing func receive(_ output: inout MutableSpan<UInt8>, behind received: Int) throws(SystemError) -> Int?
    {
        let room = output.count - received
        var surplus: UInt8 = 0
        let count = unsafe output.withUnsafeMutableBytes { output in
            // Whether it is the end can be told only by asking for a byte.
            guard room > 0, let start = output.baseAddress else {
                return unsafe recv(channel.number, &surplus, 1, Int32(MSG_DONTWAIT))
            }
            return unsafe recv(channel.number, start + received, room, Int32(MSG_DONTWAIT))
        }
        if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
        if count < 0 {
            guard errno == EAGAIN || errno == EINTR else { throw .last("read from", path) }
            return 0
        }
        guard room > 0 else { throw SystemError("read from", path, code: EMSGSIZE) }
        return count
    }

    private static func milliseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
