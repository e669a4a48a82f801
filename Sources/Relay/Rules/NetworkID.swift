/// A network that accounts were made from, as 16 bytes: without the relay's secrets nobody can tell which one it is.
struct NetworkID: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    static func < (left: NetworkID, right: NetworkID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
