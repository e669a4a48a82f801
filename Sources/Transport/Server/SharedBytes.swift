/// Bytes of memory that all connections of a server share, and the part of them that each neighbour has: an IPv4
/// address, or the 64 bits of IPv6 that one customer is given.
struct SharedBytes {
    private(set) var total = 0
    private var shares: [UInt64: Int] = [:]

    /// Counts more, or less.
    ///
    /// - Returns: whether all of it, and the neighbour's share, are still within their limits. Less always is.
    mutating func change(by difference: Int, of peer: SocketAddress, limit: Int, share: Int) -> Bool {
        total += difference
        let own = shares[peer.neighbour, default: 0] + difference
        shares[peer.neighbour] = own > 0 ? own : nil
        return difference <= 0 || (total <= limit && own <= share)
    }

    /// Whether nobody has any.
    var isEmpty: Bool { total == 0 && shares.isEmpty }
}
