import MildamKeychain
import MildamProfile
import MildamTerminal

let keychainRemove = ActionCommand(
    ["keychain", "remove"],
    summary: "Remove a secret.",
    operands: [serviceOperand, accountOperand],
    options: [serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [.init("mildam keychain remove example.org alice", "Everything else stays.")]
) { action in
    let keychain = try await action.openKeychain()
    if action.invocation.value("group") == nil {
        let found = try keychain.all(action.query(), returningSecrets: false)
        guard !found.contains(where: { $0.accessGroup == ProfileRootKey.accessGroup }) else {
            throw ProfileKeyStays()
        }
    }
    let count = try keychain.delete(action.query())
    return try action.report.answer(["removed": count]) { "removed" }
}

/// What is to be removed is the profile's own key.
struct ProfileKeyStays: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String {
        "this is the key of the profile itself: without it, its messages and its vaults open to nobody; to remove it all "
            + "the same, name its group: --group \(ProfileRootKey.accessGroup)"
    }
}
