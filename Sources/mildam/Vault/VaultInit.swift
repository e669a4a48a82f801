import MildamTerminal
import MildamVault

let vaultInit = ActionCommand(
    ["vault", "init"],
    summary: "Make a vault.",
    discussion: """
        A folder of age files with opaque names, and a sealed index of what they are. Its keys are sealed under the \
        profile's root key. Name a recipient whose key lies in a safe place: it opens the files if the profile is lost.
        """,
    options: [vaultRecipientOption, vaultOption],
    examples: [.init("mildam vault init -r age1…", "In the profile; the recipient's key opens its files, too.")]
) { action in
    let folder = try await action.vaultFolder()
    _ = try Vault.make(
        in: folder,
        rootKey: try await action.profile().rootKey,
        recipients: action.invocation.values("recipient")
    )
    return try action.report.answer(["vault": folder]) { "made a vault in \(shown(folder))" }
}
