import MildamIdentity

/// What came of a request.
public enum RelayReply: Sendable {
    /// A part of the log.
    case page(LogPage)
    /// It is done; a message has this number, and had it before where it was sent before.
    case accepted(number: UInt64)
    /// Key packages are kept, or a room is made.
    case done
    /// Others were first: what the sender has not seen.
    case staleEpoch(LogPage)
    /// SelfRemoves wait that the commit does not name: what the sender has not seen.
    case proposalsDue(LogPage)
    /// The relay does not do it.
    case refused(RelayRefusal)
    /// The present group.
    case group(GroupReply)
    /// Key packages of an account's devices.
    case claimed(ClaimReply)
    /// Messages were taken back.
    case refilled(LogPage)
    /// No answer came: it may be done, or not.
    case unreachable
}

/// Why a relay does not do something.
public enum RelayRefusal: Hashable, Sendable {
    /// A commit breaks this rule.
    case invalidCommit(rule: String)
    /// The account has committed too often (H12).
    case commitRate
    /// The relay is full, or asked too often.
    case busy
    /// The account is no member, or the room is closed.
    case forbidden
    /// Anything else, by the relay's code.
    case other(code: String)

    /// Whether it may be otherwise later.
    public var mayPass: Bool {
        switch self {
        case .commitRate, .busy: true
        case .invalidCommit, .forbidden, .other: false
        }
    }

    /// The name that words, tests and other programs know it by.
    public var code: String {
        switch self {
        case .invalidCommit(let rule): "invalid-commit:\(rule)"
        case .commitRate: "commit-rate"
        case .busy: "busy"
        case .forbidden: "forbidden"
        case .other(let code): code
        }
    }
}
