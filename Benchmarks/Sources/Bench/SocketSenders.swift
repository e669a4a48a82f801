import Glibc
import MildamSystem

/// Senders that cost next to nothing: one thread, one socket each, requests made beforehand. Each sends its next
/// message when the one before was acknowledged.
struct SocketSenders {
    /// What a run showed.
    struct Result {
        /// Acknowledged sends a second.
        let rate: Double
        /// From the request's first byte to the answer's, in nanoseconds.
        let latencies: [Double]
    }

    private struct Sender {
        let socket: Int32
        let requests: [[UInt8]]
        var sent = 0
        var since: Int64 = 0
    }

    /// Runs for about `time` nanoseconds, or until a sender has nothing left to say.
    ///
    /// - Parameter requests: those of each sender.
    static func run(port: UInt16, requests: [[[UInt8]]], for time: Int64) throws -> Result {
        var senders = try requests.map { Sender(socket: try connect(port), requests: $0) }
        defer { for sender in senders { close(sender.socket) } }
        var waits = senders.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        var latencies: [Double] = []
        latencies.reserveCapacity(requests.reduce(0) { $0 + $1.count })

        let start = nanoseconds()
        for index in senders.indices { try send(&senders[index]) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isOver = false
        while !isOver {
            guard unsafe poll(&waits, UInt(waits.count), 10_000) > 0 else { throw BenchError("the relay fell silent") }
            for index in senders.indices where waits[index].revents != 0 {
                let count = unsafe read(senders[index].socket, &buffer, buffer.count)
                // A receipt is so short that it comes in one piece.
                guard count > 0, buffer[..<12].elementsEqual("HTTP/1.1 201".utf8) else {
                    throw BenchError("a send failed: \(String(decoding: buffer[..<max(0, count)], as: UTF8.self))")
                }
                let now = nanoseconds()
                latencies.append(Double(now - senders[index].since))
                if now - start >= time || senders[index].sent == senders[index].requests.count {
                    isOver = true
                } else {
                    try send(&senders[index])
                }
            }
        }
        return Result(
            rate: Double(latencies.count) * 1_000_000_000 / Double(nanoseconds() - start),
            latencies: latencies
        )
    }

    private static func send(_ sender: inout Sender) throws {
        let bytes = sender.requests[sender.sent]
        sender.since = nanoseconds()
        sender.sent += 1
        guard unsafe write(sender.socket, bytes, bytes.count) == bytes.count else {
            throw SystemError.last("send a request")
        }
    }

    private static func connect(_ port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemError.last("make a socket") }
        var on: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, UInt32(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, UInt32(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemError.last("connect") }
        return socket
    }
}
