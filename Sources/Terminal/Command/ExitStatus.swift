/// The status a program ends with.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Everything asked for was done.
    case done = 0
    /// It failed for a reason that no other status names, or several things failed, not all alike.
    case failed = 1
    /// The command line is wrong; nothing was tried.
    case usage = 2
    /// A wrong password, code or key, or damage that the format cannot tell from it.
    case wrongSecret = 3
    /// What was named is not there.
    case notFound = 4
    /// Data is damaged or forged.
    case damaged = 5
    /// Locked, in the way, or refused: by a rule, by a person, by the system's permissions, or by the relay.
    case refused = 6
    /// The relay cannot be reached.
    case unreachable = 7

    /// What the status means, in a few words.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .usage: "wrong use"
        case .wrongSecret: "wrong password, code or key"
        case .notFound: "not found"
        case .damaged: "damaged or forged data"
        case .refused: "locked or refused"
        case .unreachable: "the relay cannot be reached"
        }
    }

    /// What ends with it, in words.
    public var cases: String {
        switch self {
        case .done: "everything that was asked for"
        case .failed: "what no other status names, such as a full disk; several things, and not all for the same reason"
        case .usage: "the command line cannot be understood, and nothing was tried"
        case .wrongSecret: "or damage that the format cannot tell from it"
        case .notFound:
            "a file, an item, a room or an account that was named; a code in an image; a text that was searched for"
        case .damaged: "a file, an item or an answer is not what it should be"
        case .refused:
            "by a rule, a person, the system's permissions or the relay; something is in the way; a secret is needed, "
                + "and there is no terminal to ask on"
        case .unreachable: "or another server that was asked"
        }
    }

    /// Every status with what it means: the one table that help, manuals and reference print.
    static let table: [(name: String, explanation: String)] = allCases.map {
        (String($0.rawValue), "\($0.meaning): \($0.cases)")
    }
}
