import MildamTransport

/// A network that accounts were made from, as 16 bytes: without the relay's secrets nobody can tell which one it is.
struct NetworkID: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    static func < (left: NetworkID, right: NetworkID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension SocketAddress {
    /// What whoever has one address mostly has more of: 24 bits of an IPv4 address, 48 of an IPv6 one.
    var networkPrefix: [UInt8] {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        if ip.count == 4 { return Array(ip.prefix(3)) }
        return ip.starts(with: mapped) ? Array(ip[12..<15]) : Array(ip.prefix(6))
    }
}
