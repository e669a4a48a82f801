import MildamKeychain
import MildamTerminal

let keychainRemoveSlot = ActionCommand(
    ["keychain", "remove-slot"],
    summary: "Take away a way to open the keychain.",
    discussion: """
        The keychain has to be opened by another way than the one that is taken away, so that one which opens it is left. \
        With the last passphrase or PIN everything goes that only a passcode opens (--accessible passcode), for good, also \
        what the trash and the history have of it; that is asked first.
        """,
    operands: [Operand("NUMBER", help: "Its number, as `mildam keychain slots` says.")],
    options: [OptionSpec("yes", short: "y", help: "Do not ask whether items may go.")] + KeychainOpening.ofFile,
    examples: [
        .init("mildam keychain remove-slot 2", "As listed."),
        .init("mildam keychain remove-slot 1 --with code", "The passphrase; the recovery code is asked for."),
    ],
    exitNotes: [.init(.refused, "it is the one that the keychain was opened with, or it was not agreed to")]
) { action in
    let operand = action.invocation.operand("NUMBER")
    guard let number = Int64(operand) else {
        throw action.wrong("NUMBER", "a slot's number")
    }
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    let secret = try await action.slotSecret()
    try await keychain.unlock(secret)
    let gone = try await action.removeSlot(number, of: keychain, authorizedBy: secret)
    // What the agent holds may be what has just lost its key.
    for agent in try action.place().keychain.everyAgent().agents { try? agent.lock() }
    return try action.report.answer(["itemsRemoved": gone]) {
        gone == 0 ? "removed" : "removed, and \(gone) items with it"
    }
}

extension Action {
    /// Takes a slot away. Where items would go with it, and nothing else is in the way, that is asked.
    fileprivate func removeSlot(
        _ number: Int64,
        of keychain: LocalKeychain,
        authorizedBy secret: SlotSecret
    ) async throws -> Int {
        do {
            return try await keychain.removeSlot(number, authorizedBy: secret)
        } catch KeychainError.needsPassphrase {
            let loss = try keychain.passcodeItemCount()
            try agreeToLose(loss)
            return try await keychain.removeSlot(number, authorizedBy: secret, loss: loss)
        }
    }
}
