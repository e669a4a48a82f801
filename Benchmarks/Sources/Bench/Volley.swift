import CEpoll
import Glibc
import MildamSystem

/// A load that costs next to nothing: one thread, and sockets that each send when the answer to what they sent before
/// has come.
struct Volley {
    /// What a run showed.
    struct Result {
        /// Answers a second.
        let rate: Double
        /// From a request's first byte to its answer's last, in nanoseconds.
        let latencies: [Double]
    }

    /// How long the other side may be silent, in milliseconds.
    private static let patience: Int32 = 10_000

    /// Runs for about `time` nanoseconds.
    ///
    /// - Parameters:
    ///   - sockets: connected, and answered so far.
    ///   - listeners: sockets that are only read.
    ///   - request: what socket number `index` sends next.
    ///   - took: takes what came on a socket at a moment; returns whether that ends the answer.
    static func run(
        _ sockets: [Int32],
        listeners: [Int32] = [],
        for time: Int64,
        request: (_ index: Int) -> [UInt8],
        took: (_ index: Int, _ bytes: ArraySlice<UInt8>, _ now: Int64) throws -> Bool
    ) throws -> Result {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll set") }
        defer { close(epoll) }
        let all = sockets + listeners
        for (index, socket) in all.enumerated() {
            var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: UInt64(index)))
            guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0 else {
                throw SystemError.last("watch a socket")
            }
        }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: all.count)
        var since = [Int64](repeating: 0, count: sockets.count)
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 18)
        var buffer = [UInt8](repeating: 0, count: 65_536)

        let start = nanoseconds()
        for index in sockets.indices {
            since[index] = nanoseconds()
            try write(request(index), to: sockets[index])
        }
        var awaited = sockets.count
        while awaited > 0 {
            let ready = unsafe epoll_wait(epoll, &events, Int32(events.count), patience)
            guard ready > 0 else { throw BenchError("the other side fell silent") }
            for event in 0..<Int(ready) {
                let index = unsafe Int(events[event].data.u64)
                let count = unsafe read(all[index], &buffer, buffer.count)
                guard count > 0 else { throw BenchError("a connection was closed") }
                let now = nanoseconds()
                guard try took(index, buffer[..<count], now), index < sockets.count else { continue }
                latencies.append(Double(now - since[index]))
                if now - start >= time {
                    awaited -= 1
                } else {
                    since[index] = now
                    try write(request(index), to: sockets[index])
                }
            }
        }
        return Result(
            rate: Double(latencies.count) * 1_000_000_000 / Double(nanoseconds() - start),
            latencies: latencies
        )
    }

    /// Sends all of it at once: what is sent here is shorter than any socket's buffer.
    static func write(_ bytes: [UInt8], to socket: Int32) throws {
        guard unsafe Glibc.write(socket, bytes, bytes.count) == bytes.count else {
            throw SystemError.last("send a request")
        }
    }

    /// A blocking socket to a port of this machine's.
    ///
    /// - Parameter source: the last byte of the loopback address that it comes from; a port number is used once for each.
    static func connect(_ port: UInt16, source: UInt8 = 1) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemError.last("make a socket") }
        var on: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, UInt32(MemoryLayout<Int32>.size))
        if source != 1 {
            var address = address(0x7F00_0000 | UInt32(source), 0)
            guard unsafe at(&address, { unsafe Glibc.bind(socket, $0, $1) }) == 0 else {
                throw SystemError.last("bind")
            }
        }
        var address = address(0x7F00_0001, port)
        guard unsafe at(&address, { unsafe Glibc.connect(socket, $0, $1) }) == 0 else {
            throw SystemError.last("connect")
        }
        return socket
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    private static func at(
        _ address: inout sockaddr_in,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, UInt32(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
