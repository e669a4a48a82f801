import MildamTerminal

let vaultRekey = ActionCommand(
    ["vault", "rekey"],
    summary: "Give the vault a new identity, and other recipients.",
    discussion: """
        Every file gets a header for the new identity and the recipients named here, and for nobody else. Its content \
        keeps its key: whoever could open a file and kept a copy of it, or of its key, still can. This revokes nothing \
        that was copied. With --full every file is encrypted anew under a key of its own, which ends that for what the \
        vault holds, and not for copies.

        Interrupted, it is finished by the next one. A file that is damaged or missing holds up no other; until it is \
        restored or removed, the old identity is kept for its sake.
        """,
    options: [vaultRecipientOption, OptionSpec("full", help: "Encrypt the content anew, too."), vaultOption],
    examples: [.init("mildam vault rekey -r age1…", "Recipients that are not named can open no new copy.")],
    exitNotes: [
        .init(.damaged, "a file cannot be read: all others are rekeyed"),
        .init(.refused, "there are files that the index does not know, which would be lost"),
    ]
) { action in
    let vault = try await action.openVault(changing: true)
    try action.following("rekeying") { monitor in
        try vault.rekey(
            to: action.invocation.values("recipient"),
            contentToo: action.invocation.flag("full"),
            monitor: monitor
        )
    }
    let count = try vault.entries().count
    return try action.report.answer(["files": count]) { "rekeyed, \(count) files" }
}
