import MildamTerminal

let keychainVerify = ActionCommand(
    ["keychain", "verify"],
    summary: "Look at every row.",
    options: KeychainOpening.all,
    examples: [.init("mildam keychain verify", "Each secret whose key is here is opened.")],
    exitNotes: [.init(.damaged, "something is damaged, or was changed from outside")]
) { action in
    let isOpenedHere = try action.invocation.flag("no-agent") || action.place().keychain.isReadOnly
    let found =
        isOpenedHere
        ? try await action.openFile().verify() : try await action.unlockedAgent().verify()
    try action.tell(found)
    return found.isSound ? .done : .damaged
}
