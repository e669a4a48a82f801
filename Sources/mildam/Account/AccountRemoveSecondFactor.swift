import MildamMessenger
import MildamTerminal

let accountRemoveSecondFactor = ActionCommand(
    ["account", "remove-second-factor"],
    summary: "Have logging in take the password alone again.",
    options: SecretOption.password.options + SecretOption.code.options,
    examples: [
        .init("mildam account remove-second-factor", "Asks for the password and a code, or a recovery code.")
    ],
    exitNotes: [wrongSecretNote]
) { action in
    try await action.prepareProfile()
    let password = try action.password()
    try await action.askingForCode("Code, or recovery code") { messenger, code in
        try await messenger.removeSecondFactor(password, code: SecondFactorCode(typed: code))
    }
    return try action.report.answer(["secondFactor": "removed"]) { "logging in takes the password alone from here on" }
}
