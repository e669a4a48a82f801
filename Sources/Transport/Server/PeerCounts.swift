/// How many connections each neighbour has: an IPv4 address, or the 64 bits of IPv6 that one customer is given.
struct PeerCounts {
    private var counts: [UInt64: Int] = [:]

    /// Counts one more, unless there are `limit` already.
    ///
    /// - Returns: whether it was counted.
    mutating func enter(_ peer: SocketAddress, limit: Int) -> Bool {
        let count = counts[peer.neighbour, default: 0]
        guard count < limit else { return false }
        counts[peer.neighbour] = count + 1
        return true
    }

    /// Counts one less. Who has none left is forgotten.
    mutating func leave(_ peer: SocketAddress) {
        let left = counts[peer.neighbour, default: 0] - 1
        counts[peer.neighbour] = left > 0 ? left : nil
    }

    /// Whether nobody is counted.
    var isEmpty: Bool { counts.isEmpty }
}

extension SocketAddress {
    /// Whom an address belongs to. IPv4, also within IPv6, stands in 0:ffff::/32, which is nobody's.
    fileprivate var neighbour: UInt64 {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes: [UInt8] =
            switch ip.count {
            case 4: mapped.suffix(4) + ip
            default: ip.starts(with: mapped) ? Array(ip[8...]) : Array(ip[..<8])
            }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
