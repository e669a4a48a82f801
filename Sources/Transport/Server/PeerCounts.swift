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
