import MildamTerminal

let accountLogin = ActionCommand(
    ["account", "login"],
    summary: "Open a session again, after it has ended.",
    discussion: "Where the account has a second factor, it asks for a code.",
    options: SecretOption.password.options + SecretOption.code.options,
    examples: [.init("mildam account login", "Asks for the password.")],
    exitNotes: [.init(.wrongSecret, "the password or the code is wrong")]
) { action in
    try await action.messenger().checkThereIsAccount()
    // Whoever else works with the profile does not wait while somebody types.
    try await action.giveProfileBack()
    let password = try action.password()
    try await action.withCode { messenger, code in try await messenger.logIn(password: password, code: code) }
    let account = try await action.messenger().accountSummary()
    return try action.report.answer(account) { "logged in as \(account.handle)" }
}
