import MildamTerminal

let keychainGrant = ActionCommand(
    ["keychain", "grant"],
    summary: "Let a program use an access group.",
    discussion: """
        Access groups keep one program's mistakes from another's secrets. They do not stop an attacker who runs as the same \
        user: whoever can put code into another program of yours is that program.
        """,
    operands: grantOperands,
    options: KeychainOpening.question,
    examples: [.init("mildam keychain grant /usr/bin/mutt mail", "mutt may use the group mail.")]
) { action in
    let grant = try action.grant()
    try await action.unlockedAgent().grant(grant)
    return try action.report.answer(["granted": grant.group]) {
        shown("\(grant.program.executable) may use \(grant.group)")
    }
}
