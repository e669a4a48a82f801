import MildamTerminal

let unlockCommand = ActionCommand(
    ["unlock"],
    summary: "Open the keychain for this user's programs.",
    options: [KeychainOpening.with] + SecretOption.unlocking.options,
    examples: [.init("mildam unlock", "Asks for the passphrase.")],
    exitNotes: [.init(.wrongSecret, "the passphrase, PIN or code is wrong")]
) { action in
    let client = try action.agent()
    try client.unlock(try await action.slotSecret())
    action.warn(of: try client.counterState())
    let path = try action.keychainPath()
    return try action.report.answer(["keychain": path, "state": "unlocked"]) { "unlocked \(shown(path))" }
}
