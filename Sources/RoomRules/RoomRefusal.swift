/// Why something does not count in a room.
public enum RoomRefusal: Error, Hashable, Sendable {
    /// It breaks this rule.
    case broken(RoomRule)
}

extension RoomRefusal: CustomStringConvertible {
    /// The rule's name, as the relay says it too.
    public var description: String {
        switch self {
        case .broken(let rule): "against the rules of the room: \(rule.rawValue)"
        }
    }
}
