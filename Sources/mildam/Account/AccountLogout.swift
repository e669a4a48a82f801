import MildamMessenger
import MildamTerminal

let accountLogout = ActionCommand(
    ["account", "logout"],
    summary: "End the session. Keys and rooms stay in the profile.",
    discussion: "It ends here in any case. At a relay that cannot be reached it ends when this device logs in again, "
        + "or after 90 days.",
    examples: [.init("mildam account logout", "Reading what is on this machine goes on working.")]
) { action in
    let messenger = try await action.messenger()
    let end = try await messenger.logOut()
    return try action.report.answer(LogoutAnswer(account: try await messenger.accountSummary(), end: end)) {
        switch end {
        case .before, .everywhere: "logged out"
        case .hereOnly(let error):
            "logged out here; the relay could not be told (\(Report.text(of: error))): there the session ends when "
                + "this device logs in again, or after 90 days"
        }
    }
}

/// The account after its session has ended, and whether the relay was told, where there was one to end.
private struct LogoutAnswer: Encodable {
    let account: AccountSummary
    let end: LoggedOut

    private enum CodingKeys: CodingKey { case toldRelay }

    func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch end {
        case .before: break
        case .everywhere: try fields.encode(true, forKey: .toldRelay)
        case .hereOnly: try fields.encode(false, forKey: .toldRelay)
        }
    }
}
