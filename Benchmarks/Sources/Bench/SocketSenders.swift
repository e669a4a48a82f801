import CEpoll
import Glibc
import MildamSystem

/// Senders that cost next to nothing: one thread, one socket each, one request each, of which only the id changes. Each
/// sends its next message when the one before was acknowledged.
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
        var request: [UInt8]
        let id: Int
        var since: Int64 = 0
    }

    /// Runs for about `time` nanoseconds.
    ///
    /// - Parameter requests: each sender's, and where its id stands.
    static func run(port: UInt16, requests: [(bytes: [UInt8], id: Int)], for time: Int64) throws -> Result {
        var senders = try requests.map { Sender(socket: try connect(port), request: $0.bytes, id: $0.id) }
        defer { for sender in senders { close(sender.socket) } }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll set") }
        defer { close(epoll) }
        for (index, sender) in senders.enumerated() {
            var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: UInt64(index)))
            guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, sender.socket, &event) == 0 else {
                throw SystemError.last("watch a socket")
            }
        }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: senders.count)
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 18)
        var generator = SystemRandomNumberGenerator()
        var ids = generator.next()
        var buffer = [UInt8](repeating: 0, count: 4096)

        let start = nanoseconds()
        for index in senders.indices { try send(&senders[index], &ids) }
        var isOver = false
        while !isOver {
            let ready = unsafe epoll_wait(epoll, &events, Int32(events.count), 10_000)
            guard ready > 0 else { throw BenchError("the relay fell silent") }
            for event in 0..<Int(ready) {
                let index = unsafe Int(events[event].data.u64)
                let count = unsafe read(senders[index].socket, &buffer, buffer.count)
                // A receipt is so short that it comes in one piece.
                guard count > 0, buffer[..<12].elementsEqual("HTTP/1.1 201".utf8) else {
                    throw BenchError("a send failed: \(String(decoding: buffer[..<max(0, count)], as: UTF8.self))")
                }
                let now = nanoseconds()
                latencies.append(Double(now - senders[index].since))
                if now - start >= time { isOver = true } else { try send(&senders[index], &ids) }
            }
        }
        return Result(
            rate: Double(latencies.count) * 1_000_000_000 / Double(nanoseconds() - start),
            latencies: latencies
        )
    }

    private static func send(_ sender: inout Sender, _ ids: inout UInt64) throws {
        writeID(&sender.request, at: sender.id, &ids)
        sender.since = nanoseconds()
        let size = sender.request.count
        guard unsafe write(sender.socket, sender.request, size) == size else {
            throw SystemError.last("send a request")
        }
    }

    /// A fresh id, spread as drawn ones are (SplitMix64): 25 characters of five bits, the last one of three.
    private static func writeID(_ request: inout [UInt8], at position: Int, _ ids: inout UInt64) {
        var bits: UInt64 = 0
        for place in 0..<26 {
            if place.isMultiple(of: 12) {
                ids &+= 0x9E37_79B9_7F4A_7C15
                bits = (ids ^ ids >> 30) &* 0xBF58_476D_1CE4_E5B9
                bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
                bits ^= bits >> 31
            }
            let digit = UInt8(truncatingIfNeeded: bits) & (place == 25 ? 28 : 31)
            request[position + place] = digit < 26 ? UInt8(ascii: "a") + digit : UInt8(ascii: "2") + digit - 26
            bits >>= 5
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
