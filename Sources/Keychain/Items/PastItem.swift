/// What an item was before it was removed, or before it got another value.
public struct PastItem: Sendable {
    /// Which one it is: no number is given out twice, and what was put away later has a higher one.
    public let number: Int64
    /// The item as it was, without what it protected.
    public let item: KeychainItem
    /// When it was removed or replaced, in milliseconds since 1970; by a clock that was behind, the newest time that was known
    /// of the keychain then.
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

/// How an item stood when somebody looked at it.
enum SeenItem: Equatable, Sendable {
    /// It was removed.
    case missing
    /// It was last changed then (`modificationDate`), in milliseconds since 1970.
    case changed(Int64)

    /// - Parameter time: `nil` where it was missing.
    init(_ time: Int64?) {
        if let time { self = .changed(time) } else { self = .missing }
    }
}
