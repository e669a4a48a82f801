import MildamTerminal

let accountPassword = ActionCommand(
    ["account", "password"],
    summary: "Change the password; every other session ends.",
    options: [SecretOption.password, .newPassword, .code].flatMap(\.options),
    examples: [.init("mildam account password", "Asks for the present one, and twice for the new one.")],
    exitNotes: [wrongSecretNote]
) { action in
    try await action.prepareProfile()
    let old = try action.password("Present password")
    let new = try action.newPassword(.newPassword, "New password")
    try await action.withCode { messenger, code in try await messenger.changePassword(old, to: new, code: code) }
    return try action.report.answer(["password": "changed"]) {
        "the password is changed, and every other session has ended"
    }
}
