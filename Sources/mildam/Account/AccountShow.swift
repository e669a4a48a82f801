import MildamMessenger
import MildamTerminal

let accountShow = ActionCommand(
    ["account", "show"],
    summary: "Show the account, and the fingerprint that others compare.",
    examples: [.init("mildam account show --json", "The same for a program.")]
) { action in
    try action.show(try await action.messenger().accountSummary())
}

extension Action {
    /// Says what the account is.
    func show(_ account: AccountSummary) throws -> ExitStatus {
        try report.answer(account) {
            let renewal = account.isRenewing ? "\nnew keys     interrupted: mildam account renew-keys" : ""
            return """
                handle       \(account.handle)
                relay        \(account.relayAddress)  \(account.relay)
                device       \(account.device)
                session      \(account.isLoggedIn ? "open" : "ended: mildam account login")
                unsent       \(account.unsent)
                fingerprint  \(account.fingerprint)
                """ + renewal
        }
    }
}
