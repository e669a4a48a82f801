import MildamTerminal

let accountLogout = ActionCommand(
    ["account", "logout"],
    summary: "End the session. Keys and rooms stay in the profile.",
    examples: [.init("mildam account logout", "Reading what is on this machine goes on working.")]
) { action in
    let messenger = try await action.messenger()
    try await messenger.logOut()
    return try action.report.answer(try await messenger.accountSummary()) { "logged out" }
}
