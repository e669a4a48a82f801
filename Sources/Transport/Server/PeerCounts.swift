/// How many connections each neighbour has, an IPv4 address or the 64 bits of IPv6 that one customer is given, and how many the
/// network around it: whoever has one address mostly has more of that.
struct PeerCounts {
    private var counts: [UInt64: Int] = [:]
    private var networkCounts: [UInt64: Int] = [:]

    /// Counts one more, unless the neighbour has `limit` already, or its network `networkLimit`.
    ///
    /// - Returns: whether it was counted.
    mutating func enter(_ peer: SocketAddress, limit: Int, networkLimit: Int) -> Bool {
        let count = counts[peer.neighbour, default: 0]
        let networkCount = networkCounts[peer.network, default: 0]
        guard count < limit, networkCount < networkLimit else { return false }
        counts[peer.neighbour] = count + 1
        networkCounts[peer.network] = networkCount + 1
        return true
    }

    /// Counts one less. Who has none left is forgotten.
    mutating func leave(_ peer: SocketAddress) {
        Self.countDown(peer.neighbour, in: &counts)
        Self.countDown(peer.network, in: &networkCounts)
    }

    private static func countDown(_ key: UInt64, in counts: inout [UInt64: Int]) {
        let left = counts[key, default: 0] - 1
        counts[key] = left > 0 ? left : nil
    }

    /// Whether nobody is counted.
    var isEmpty: Bool { counts.isEmpty && networkCounts.isEmpty }
}
