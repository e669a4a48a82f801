import Glibc

/// An IP address and a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    public let ip: [UInt8]
    /// 0 lets the system choose when it is listened on.
    public let port: UInt16

    /// Reads a numeric address: "127.0.0.1" or "::1" (without brackets). Names are not looked up.
    public init?(ip text: String, port: UInt16) {
        var bytes = [UInt8](repeating: 0, count: 16)
        // inet_pton stops at a NUL byte; what stands behind one would go unread.
        guard !text.utf8.contains(0) else { return nil }
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            bytes.removeLast(12)
        } else if unsafe inet_pton(AF_INET6, text, &bytes) != 1 {
            return nil
        }
        ip = bytes
        self.port = port
    }

    /// 127.0.0.1.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(bytes: [127, 0, 0, 1], port: port)
    }

    init(bytes: [UInt8], port: UInt16) {
        ip = bytes
        self.port = port
    }

    /// Whether packets to it stay on this machine (127.0.0.0/8, ::1, and the former mapped into IPv6).
    public var isLoopback: Bool {
        if ip.count == 4 { return ip[0] == 127 }
        if ip == [UInt8](repeating: 0, count: 15) + [1] { return true }
        return ip.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127])
    }

    /// "127.0.0.1:8080" or "[::1]:8080".
    public var description: String {
        ip.count == 4 ? "\(ipText):\(port)" : "[\(ipText)]:\(port)"
    }

    /// The address alone: "127.0.0.1" or "::1".
    public var ipText: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = ip.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, ip, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var family: Int32 { ip.count == 4 ? AF_INET : AF_INET6 }

    /// Reads what the kernel or the resolver filled in; `nil` for a family other than IP.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: &storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(bytes: Self.bytes(of: address.sin_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: &storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            self.init(bytes: Self.bytes(of: address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
        default:
            return nil
        }
    }

    /// The address as the kernel wants it, with its length.
    var native: (storage: sockaddr_storage, length: socklen_t) {
        var storage = sockaddr_storage()
        if ip.count == 4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: ip) }
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: address, as: sockaddr_in.self) }
            return (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: ip.prefix(16)) }
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: address, as: sockaddr_in6.self) }
        return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }

    private static func bytes<Address>(of address: Address) -> [UInt8] {
        unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
    }
}
