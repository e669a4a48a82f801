/// Whether `SessionEvent`s can be known.
public enum SessionStatus: Sendable, Equatable, CustomStringConvertible {
    /// Not known yet.
    case starting
    /// They are watched for. `delaysSleep`: and the machine waits for the handler before it sleeps.
    case watching(delaysSleep: Bool)
    /// They are not, for this reason; it is tried again from time to time.
    case unavailable(String)

    /// "not told of sleep and screen locks: cannot reach the system bus: No such file or directory".
    public var description: String {
        switch self {
        case .starting: "not yet told of sleep and screen locks"
        case .watching(delaysSleep: true): "told of sleep and screen locks"
        case .watching(delaysSleep: false): "told of screen locks, and of sleep too late to be sure to act before it"
        case .unavailable(let reason): "not told of sleep and screen locks: \(reason)"
        }
    }
}
