/// How far the identity key that is remembered of an account is believed, from the weakest to the strongest.
public enum PinState: String, Codable, Sendable, CaseIterable, Comparable {
    /// Somebody else said so: a member's list of members, or an invitation. It is no pin: it is held against nothing.
    case told
    /// This client fetched the account's own signed records from the relay.
    case seen
    /// A person compared the fingerprint.
    case compared

    /// Whether another key than this one is refused.
    public var isPin: Bool { self > .told }

    /// The order of the cases.
    public static func < (left: PinState, right: PinState) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .told: 0
        case .seen: 1
        case .compared: 2
        }
    }
}
