import MildamTerminal

let accountLogin = ActionCommand(
    ["account", "login"],
    summary: "Open a session again, after it has ended.",
    discussion: "Where the account has a second factor, it asks for a code.",
    options: SecretOption.password.options + SecretOption.code.options,
    examples: [.init("mildam account login", "Asks for the password.")],
    exitNotes: [.init(.wrongSecret, "the password or the code is wrong")]
) { action in
    let messenger = try await action.messenger()
    try await messenger.checkThereIsAccount()
    let password = try action.password()
    try await action.withCode { code in try await messenger.logIn(password: password, code: code) }
    let account = try await messenger.accountSummary()
    return try action.report.answer(account) { "logged in as \(account.handle)" }
}
