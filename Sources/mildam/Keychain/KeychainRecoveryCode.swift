import MildamKeychain
import MildamTerminal

let keychainRecoveryCode = ActionCommand(
    ["keychain", "recovery-code"],
    summary: "Make a recovery code.",
    options: KeychainOpening.ofFile,
    examples: [.init("mildam keychain recovery-code", "Older ones stay; see `mildam keychain slots`.")],
    exitNotes: [.init(.refused, "there are 32 ways already")]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    try action.checkRoomForAnotherWay(into: keychain)
    let secret = try await action.slotSecret()
    try await keychain.unlock(secret)
    let code = RecoveryCode()
    try await keychain.addSlot(.recoveryCode(code), authorizedBy: secret)
    let text = code.text.text ?? ""
    return try action.report.answer(["recoveryCode": text]) { text }
}
