/// The status a program ends with.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Everything asked for was done.
    case done = 0
    /// It failed for a reason that no other status names.
    case failed = 1
    /// The command line is wrong; nothing was tried.
    case usage = 2
    /// A wrong password, code or key, or damage that the format cannot tell from it.
    case wrongSecret = 3
    /// What was named is not there.
    case notFound = 4
    /// Data is damaged or forged.
    case damaged = 5
    /// Locked, or refused: by a rule, by a person, or by the relay.
    case refused = 6
    /// The relay cannot be reached.
    case unreachable = 7

    /// What the status means, in a few words.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed; the message says what, and what to do"
        case .usage: "wrong use"
        case .wrongSecret: "wrong password, code or key"
        case .notFound: "not found"
        case .damaged: "damaged or forged data"
        case .refused: "locked or refused"
        case .unreachable: "the relay cannot be reached"
        }
    }
}
