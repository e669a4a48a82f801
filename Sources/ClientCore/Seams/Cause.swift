/// Why something could not be read: a closed list. Each has a code, for which others have the words.
public enum Cause: Hashable, Sendable {
    /// What had to be read is no longer kept; the first number that is.
    case behindRetention(first: UInt64)
    /// A commit that the relay took cannot be processed; its number.
    case commitNotProcessable(number: UInt64)
    /// This device's state is older than the log: it was put back or copied; the number by which that was seen.
    case ownStateOlder(number: UInt64)
    /// The Welcome of this device does not open.
    case welcomeDoesNotOpen
    /// Two other accounts, or all, have seen another history up to this number.
    case differentHistory(number: UInt64)
    /// It was read before.
    case repeated
    /// It is not as its sender made it, or no member made it.
    case forged
    /// It is not what the relay says of it.
    case mislabelled
    /// A newer version said it.
    case newer
    /// Who sent it had no leaf.
    case senderNoMember
    /// A member did what the room's rules do not allow.
    case ruleBroken
    /// What this device has stored of the room is damaged.
    case recordsDamaged
    /// The relay wants a proposal in every commit that this device had to refuse; its number.
    case dueProposalRefused(number: UInt64)
    /// It was said before this device came into the room: into a generation that it had not come into yet, or again.
    case beforeComingIn
    /// It was lost when the relay was put back, and nobody gave it back.
    case lostAtRestore

    /// The name that words, tests and other programs know it by.
    public var code: String {
        switch self {
        case .behindRetention: "behind-retention"
        case .commitNotProcessable: "commit-not-processable"
        case .ownStateOlder: "own-state-older"
        case .welcomeDoesNotOpen: "welcome-does-not-open"
        case .differentHistory: "different-history"
        case .repeated: "repeated"
        case .forged: "forged"
        case .mislabelled: "mislabelled"
        case .newer: "newer"
        case .senderNoMember: "sender-no-member"
        case .ruleBroken: "rule-broken"
        case .recordsDamaged: "records-damaged"
        case .dueProposalRefused: "due-proposal-refused"
        case .beforeComingIn: "before-coming-in"
        case .lostAtRestore: "lost-at-restore"
        }
    }

    /// What is done about it, by itself.
    public var remedy: Remedy {
        switch self {
        case .behindRetention, .commitNotProcessable, .ownStateOlder, .welcomeDoesNotOpen, .recordsDamaged,
            .dueProposalRefused:
            .comingBack
        case .lostAtRestore: .sendingAgain
        case .differentHistory, .beforeComingIn: .none(.historyIsPast)
        case .repeated: .none(.nothingIsMissing)
        case .forged, .mislabelled, .senderNoMember, .ruleBroken: .none(.nothingWasSaid)
        case .newer: .none(.updateReadsIt)
        }
    }
}

extension Cause {
    /// The number that it is about: of a message, or of the first that is still kept; `nil` for a cause without one.
    public var number: UInt64? {
        switch self {
        case .behindRetention(first: let number), .commitNotProcessable(let number), .ownStateOlder(let number),
            .differentHistory(let number), .dueProposalRefused(let number):
            number
        case .welcomeDoesNotOpen, .repeated, .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken,
            .recordsDamaged, .beforeComingIn, .lostAtRestore:
            nil
        }
    }
}
