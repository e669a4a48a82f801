/// By how much this machine's clock and the relay's differ.
public struct ClockSkew: Equatable, Sendable, CustomStringConvertible {
    /// How many seconds this machine's clock is ahead; behind where it is negative.
    public let seconds: Int64

    /// A difference in seconds: how many this machine's clock is ahead; behind where it is negative.
    public init(seconds: Int64) { self.seconds = seconds }

    /// "this machine's clock is 1 d 2 h ahead of the relay's". Neither is named as the wrong one.
    public var description: String {
        "this machine's clock is \(Self.text(of: seconds.magnitude)) \(seconds > 0 ? "ahead of" : "behind") the relay's"
    }

    /// The two largest units that matter.
    private static func text(of seconds: UInt64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ].drop { $0.0 == 0 }
        return parts.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
