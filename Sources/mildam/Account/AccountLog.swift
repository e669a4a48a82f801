import MildamRelayAPI
import MildamTerminal

let accountLog = ActionCommand(
    ["account", "log"],
    summary: "Show what happened to the account.",
    discussion: "As the relay tells it: logins, failed ones, sessions that ended, changes. It keeps no addresses.",
    examples: [.init("mildam account log", "The newest first.")]
) { action in
    let entries = try await action.messenger().accountLog()
    return try action.report.answer(entries) {
        entries.map { entry in
            let times = entry.count > 1 ? " (\(entry.count) times)" : ""
            let session = entry.session.map { "  session \($0)" } ?? ""
            return "\(LocalTime(seconds: entry.time).text)  \(entry.kind.sentence)\(times)\(session)"
        }.joined(separator: "\n")
    }
}

extension AuditEntry.Kind {
    /// What happened, as people say it.
    fileprivate var sentence: String {
        switch self {
        case .registered: "the account was made"
        case .loggedIn: "a device logged in"
        case .loginFailed: "a login failed"
        case .codeFailed: "a login failed for its code alone"
        case .codeUsed: "a code was used"
        case .recoveryCodeUsed: "a recovery code was used"
        case .loggedOut: "a device logged out"
        case .sessionEnded: "a session was ended by another one"
        case .tokenReused: "a session was ended: two had its tokens"
        case .sessionExpired: "a session was ended that nobody had used"
        case .passwordChanged: "the password was changed"
        case .secondFactorAdded: "a second factor was added"
        case .secondFactorRemoved: "the second factor was removed"
        case .deviceRenewed: "a device took new keys"
        case .operatorEndedSession: "whoever runs the relay ended a session"
        case .operatorRemovedSecondFactor: "whoever runs the relay removed the second factor"
        }
    }
}
