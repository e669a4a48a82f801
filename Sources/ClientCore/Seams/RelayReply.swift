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
    /// The relay is asked too often, or cannot do it just now; whether it has what was sent is not said.
    case busy
    /// There is no room for it at the relay, and nothing was stored.
    case full
    /// A message has this id already, of other bytes, under this number.
    case idReused(number: UInt64)
    /// The account is no member, or the room is closed.
    case forbidden
    /// Anything else, by the relay's code.
    case other(code: String)

    /// Whether it may be otherwise later.
    public var mayPass: Bool {
        switch self {
        case .commitRate, .busy, .full: true
        case .invalidCommit, .idReused, .forbidden, .other: false
        }
    }

    /// Whether it may be otherwise later, and the relay has nothing of what was sent: it would have said its number.
    var isOfThisAlone: Bool {
        switch self {
        case .commitRate, .full: true
        case .invalidCommit, .busy, .idReused, .forbidden, .other: false
        }
    }

    /// The name that words, tests and other programs know it by.
    public var code: String {
        switch self {
        case .invalidCommit(let rule): "invalid-commit:\(rule)"
        case .commitRate: "commit-rate"
        case .busy, .full: "busy"
        case .idReused: "id_reused"
        case .forbidden: "forbidden"
        case .other(let code): code
        }
    }
}
