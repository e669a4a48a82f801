/// Numbers of a room that were lost when the relay's store was put back, and that nobody gave back: a gap with a name.
public struct LostNumbers: Codable, Sendable, Equatable {
    /// The first one.
    public var first: UInt64
    /// The last one.
    public var last: UInt64

    /// Names a gap.
    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}
