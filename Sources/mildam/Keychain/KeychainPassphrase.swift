import MildamKeychain
import MildamTerminal

let keychainPassphrase = ActionCommand(
    ["keychain", "passphrase"],
    summary: "Change the passphrase.",
    discussion: """
        No item is touched. The old passphrase opens older copies of the file still. A stream that the old one comes \
        from may have the new one as its next line.
        """,
    options: SecretOption.oldPassphrase.options + SecretOption.newPassphrase.options,
    examples: [.init("mildam keychain passphrase", "The old one is asked for first.")]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    let old = SlotSecret.passphrase(SecretValue(try action.secret(.oldPassphrase, "Old passphrase")))
    try await keychain.unlock(old)
    let new = try action.newSecret(of: .passphrase, try action.newPassphrase, "New passphrase")
    try await keychain.replaceSlot(old, with: new)
    return try action.report.answer(["changed": true]) { "changed" }
}

extension Action {
    /// Where the new passphrase is: where the command line says, or behind the old one.
    fileprivate var newPassphrase: SecretOption {
        get throws(UsageError) {
            guard !invocation.isWritten(.newPassphrase), case .descriptor? = try invocation.source(of: .oldPassphrase)
            else { return .newPassphrase }
            return .oldPassphrase
        }
    }
}
