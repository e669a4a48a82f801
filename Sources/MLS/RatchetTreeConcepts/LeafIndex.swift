import MildamWire

/// A member's place in the group: the leaves are counted from the left, from 0 (RFC 9420, section 4.1.1).
public struct LeafIndex: WireNumber, Comparable, CustomStringConvertible {
    /// The count of the leaves to its left.
    public let rawValue: UInt32

    /// The leaf of this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The leaf of this number, which 32 bits hold.
    init(_ number: Int) { rawValue = UInt32(number) }

    /// Its place among all nodes.
    var node: NodeIndex { NodeIndex(2 * Int(rawValue)) }

    /// Its place among the leaves.
    var offset: Int { Int(rawValue) }

    /// Whether the first is further to the left.
    public static func < (left: LeafIndex, right: LeafIndex) -> Bool { left.rawValue < right.rawValue }

    /// "leaf 3".
    public var description: String { "leaf \(rawValue)" }
}
