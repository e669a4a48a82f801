import MildamKeychain
import MildamTerminal

let keychainRemoveSlot = ActionCommand(
    ["keychain", "remove-slot"],
    summary: "Take away a way to open the keychain.",
    discussion: """
        With the last passphrase or PIN everything goes that only a passcode opens (--accessible passcode), for good.
        """,
    operands: [Operand("NUMBER", help: "Its number, as `mildam keychain slots` says.")],
    options: KeychainOpening.question,
    examples: [.init("mildam keychain remove-slot 2", "As listed.")],
    exitNotes: [.init(.refused, "it is the last one")]
) { action in
    let operand = action.invocation.operand("NUMBER")
    guard let number = Int64(operand) else {
        throw action.wrong("NUMBER", "a slot's number")
    }
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    let secret = try await action.slotSecret()
    try await keychain.unlock(secret)
    let gone = try await keychain.removeSlot(number, authorizedBy: secret)
    // What the agent holds may be what has just lost its key.
    for agent in try action.place().keychain.everyAgent().agents { try? agent.lock() }
    return try action.report.answer(["itemsRemoved": gone]) {
        gone == 0 ? "removed" : "removed, and \(gone) items with it"
    }
}
