import MildamKeychain
import MildamTerminal

let keychainPassphrase = ActionCommand(
    ["keychain", "passphrase"],
    summary: "Change the passphrase.",
    discussion: "No item is touched. The old passphrase opens older copies of the file still.",
    options: [KeychainOpening.passphrase],
    examples: [.init("mildam keychain passphrase", "The old one is asked for first.")]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    let old = try action.secret(of: .passphrase, "Old passphrase", confirming: false)
    try await keychain.unlock(old)
    let new = try action.secret(of: .passphrase, "New passphrase", confirming: true)
    try await keychain.replaceSlot(old, with: new)
    return try action.report.answer(["changed": true]) { "changed" }
}
