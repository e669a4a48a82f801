/// What an item was before it was removed, or before it got another value.
public struct PastItem: Sendable {
    /// Which one it is: no number is given out twice, and what was put away later has a higher one.
    public let number: Int64
    /// The item as it was, without what it protected.
    public let item: KeychainItem
    /// When it was removed or replaced, in milliseconds since 1970.
    public let time: Int64
    /// Whether this is the last of an item that was removed. Otherwise it is a former value.
    public let isRemoved: Bool

    /// How many former values are kept of an item: the last five.
    public static let maximumValues = 5
    /// How long what was removed is kept at least, in milliseconds: 30 days. It goes with the first change after a day more,
    /// so that a clock which is off by less takes nothing too early.
    public static let retention: Int64 = 30 * day
    static let day: Int64 = 24 * 3_600_000

    /// Until when it is kept at least, in milliseconds since 1970; `nil` for a former value.
    public var keptUntil: Int64? { isRemoved ? time &+ Self.retention : nil }
}
