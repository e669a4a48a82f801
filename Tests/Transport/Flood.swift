import Foundation
import Glibc
import MildamSystem

@testable import MildamTransport

/// Many connections of one attacker, who waits for nothing. Used by one task at a time.
final class Flood {
    /// Ports of one source address are not many more.
    private static let perSource = 10_000

    /// POLLRDHUP, which the C library names only under _GNU_SOURCE.
    private static let finished: Int16 = 0x2000

    private var sockets: [Int32] = []

    /// Opens up to `count` connections from 127.0.0.2 on; fewer when the descriptors end.
    ///
    /// - Parameter receiveBuffer: bytes that the kernel keeps of what nobody reads.
    init(of count: Int, to address: SocketAddress, receiveBuffer: Int32? = nil) throws {
        for index in 0..<count {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard number >= 0 else { throw SystemError.last("make a socket") }
            sockets.append(number)
            if var receiveBuffer { unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
            // The kernel chooses the port when it knows the other end, so that all of them can be used.
            var late: Int32 = 1
            unsafe setsockopt(number, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &late, 4)
            let source = SocketAddress(bytes: [127, 0, 0, UInt8(2 + index / Self.perSource)], port: 0)
            unsafe try Self.call("come from \(source)", source) { unsafe bind(number, $0, $1) }
            unsafe try Self.call("connect", address) { unsafe connect(number, $0, $1) }
        }
    }

    deinit {
        for number in sockets { close(number) }
    }

    private static func call(
        _ what: String,
        _ address: SocketAddress,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var (storage, length) = address.native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard code == 0 else { throw SystemError.last(what) }
    }

    /// Sends the same over every connection, as much as the kernel takes at once.
    func send(_ text: String) { send(Array(text.utf8)) }

    /// The same with bytes.
    func send(_ bytes: [UInt8]) {
        for number in sockets {
            _ = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
        }
    }

    /// How many there are.
    var count: Int { sockets.count }

    /// How many the other side has not ended: a look at what waits, without taking it.
    var openCount: Int {
        sockets.count { number in
            var descriptor = pollfd(fd: number, events: Self.finished, revents: 0)
            return unsafe poll(&descriptor, 1, 0) == 0
        }
    }

    /// What the first connection was told.
    func firstAnswer() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(sockets[0], $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Raises this process's limit of descriptors, and thereby that of the programs it starts, as far as it may go.
    ///
    /// - Returns: how many connections of those wanted it leaves room for.
    static func room(for wanted: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // What is open already, and what the test itself needs.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let reserve = open + 300
        var limit = rlimit()
        unsafe getrlimit(resource, &limit)
        let needed = rlim_t(wanted + reserve)
        if limit.rlim_cur < needed {
            var more = rlimit(rlim_cur: needed, rlim_max: max(limit.rlim_max, needed))
            if unsafe setrlimit(resource, &more) != 0 {
                more = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
                unsafe setrlimit(resource, &more)
            }
            unsafe getrlimit(resource, &limit)
        }
        let room = min(wanted, Int(clamping: limit.rlim_cur) - reserve)
        if room < wanted {
            print("\(room) connections instead of \(wanted): the descriptors' limit is \(limit.rlim_cur)")
        }
        return room
    }
}
