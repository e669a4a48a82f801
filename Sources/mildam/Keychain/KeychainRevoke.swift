import MildamTerminal

let keychainRevoke = ActionCommand(
    ["keychain", "revoke"],
    summary: "Take such leave back.",
    operands: grantOperands,
    options: KeychainOpening.question,
    examples: [.init("mildam keychain revoke /usr/bin/mutt mail", "And now it may not.")]
) { action in
    let grant = try action.grant()
    try await action.unlockedAgent().revoke(grant)
    return try action.report.answer(["revoked": grant.group]) {
        shown("\(grant.program.executable) may no longer use \(grant.group)")
    }
}
