import MildamTransport

/// A network that accounts were made from, as 16 bytes: without the relay's secrets nobody can tell which one it is.
struct NetworkID: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    static func < (left: NetworkID, right: NetworkID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension SocketAddress {
    /// What whoever has one address mostly has more of, as the number of its first one: 24 bits of IPv4, 48 of IPv6.
    var network: UInt64 {
        let neighbour = self.neighbour
        let host: UInt64 = neighbour >> 32 == 0xFFFF ? 0xFF : 0xFFFF
        return neighbour & ~host
    }
}
