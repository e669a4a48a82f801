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

    /// The network around a neighbour.
    package static func network(of neighbour: UInt64) -> UInt64 {
        let host: UInt64 = neighbour >> 32 == 0xFFFF ? 0xFF : 0xFFFF
        return neighbour & ~host
    }
}
