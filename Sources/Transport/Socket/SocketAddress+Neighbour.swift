extension SocketAddress {
    /// Whom an address belongs to, as far as one can tell: an IPv4 address, or the 64 bits of IPv6 that one customer is
    /// given. IPv4, also within IPv6, stands in 0:ffff::/32, which is nobody's.
    package var neighbour: UInt64 {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes: [UInt8] =
            switch ip.count {
            case 4: mapped.suffix(4) + ip
            default: ip.starts(with: mapped) ? Array(ip[8...]) : Array(ip[..<8])
            }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What whoever has one address mostly has more of, as the number of its first one: 24 bits of IPv4, 48 of IPv6.
    package var network: UInt64 { Self.network(of: neighbour) }

    /// The same as people write it: "192.0.2.0/24", "2001:db8:1::/48".
    package var networkText: String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: network >> (56 - 8 * $0)) }
        return network >> 32 == 0xFFFF
            ? SocketAddress(bytes: Array(bytes[4...]), port: 0).ipText + "/24"
            : SocketAddress(bytes: bytes + [UInt8](repeating: 0, count: 8), port: 0).ipText + "/48"
    }

    /// The network around a neighbour.
    package static func network(of neighbour: UInt64) -> UInt64 {
        let host: UInt64 = neighbour >> 32 == 0xFFFF ? 0xFF : 0xFFFF
        return neighbour & ~host
    }
}
