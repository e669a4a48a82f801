/// What is done about a ``Cause`` without anybody asking for it.
public enum Remedy: Hashable, Sendable {
    /// The device comes back into the room from outside (H13).
    case comingBack
    /// What this device sent is sent again as new (H41).
    case sendingAgain
    /// Nothing, and why.
    case none(Reason)

    /// The name that words, tests and other programs know it by.
    public var code: String {
        switch self {
        case .comingBack: "coming-back"
        case .sendingAgain: "sending-again"
        case .none(let reason): reason.rawValue
        }
    }

    /// Why nothing is done.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Nothing changes what was seen.
        case historyIsPast = "history-is-past"
        /// It is there once.
        case nothingIsMissing = "nothing-is-missing"
        /// Nobody who may has said anything.
        case nothingWasSaid = "nothing-was-said"
        /// It is kept, and a newer version reads it.
        case updateReadsIt = "update-reads-it"
    }
}
