import MildamTerminal

let accountPassword = ActionCommand(
    ["account", "password"],
    summary: "Change the password; every other session ends.",
    options: [
        passwordOption,
        OptionSpec(
            "new-password-file",
            value: .init("FILE", completion: .file),
            help: "Take the new password from the first line of a file."
        ),
        codeOption,
    ],
    examples: [.init("mildam account password", "Asks for the present one, and twice for the new one.")],
    exitNotes: [wrongSecretNote]
) { action in
    let messenger = try await action.messenger()
    let old = try action.password("Present password: ", option: "password-file")
    let new = try action.password("New password: ", option: "new-password-file", confirming: true)
    try await action.withCode { code in try await messenger.changePassword(old, to: new, code: code) }
    return try action.report.answer(["password": "changed"]) {
        "the password is changed, and every other session has ended"
    }
}
