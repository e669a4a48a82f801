import MildamSystem
import MildamTerminal
import MildamVault

let vaultInit = ActionCommand(
    ["vault", "init"],
    summary: "Make a vault, and say what to keep safe.",
    discussion: """
        A folder of age files with opaque names, and a sealed index of what they are. Its keys are sealed under the \
        profile's root key. Name a recipient whose key lies in a safe place: it opens the files if the profile is lost.
        """,
    options: [vaultRecipientOption, vaultOption],
    examples: [.init("mildam vault init -r age1…", "In the profile; the recipient's key opens its files, too.")]
) { action in
    let folder = try await action.vaultFolder()
    let recipients = action.invocation.values("recipient")
    _ = try Vault.make(in: folder, rootKey: try await action.profile().rootKey, recipients: recipients)
    let key = try action.rootKeyPath()
    return try action.report.answer(InitAnswer(vault: folder, key: key, recipients: recipients)) {
        """
        made a vault in \(shown(folder))
        It opens with this profile's key: keep copies of the vault and of \(shown(key)).
        \(spareKeys(recipients))
        """
    }
}

private struct InitAnswer: Encodable {
    var vault: String
    var key: String
    var recipients: [String]
}

/// What else opens the files, on the day when the profile's key is lost.
private func spareKeys(_ recipients: [String]) -> String {
    guard !recipients.isEmpty else {
        return "Nothing else opens its files: `mildam file keygen` makes a spare key, and "
            + "`mildam vault rekey -r RECIPIENT` lets it open them."
    }
    return "If that is lost, the key of a recipient opens its files: keep that key in another place."
}

extension Action {
    /// The file that holds the profile's root key: its own, or the keychain.
    fileprivate func rootKeyPath() throws -> String {
        let file = try profileFolder() + "/root.key"
        return WholeFile.exists(file) ? file : try keychainPath()
    }
}
