import MildamKeychain
import MildamTerminal

let keychainPassphrase = ActionCommand(
    ["keychain", "passphrase"],
    summary: "Change the passphrase, or set one in place of a forgotten one.",
    discussion: """
        No item is touched. The old passphrase opens older copies of the file still. The agent is locked: the new one \
        unlocks it. A stream that the old one comes from may have the new one as its next line.

        With --with, another way takes the forgotten passphrase's place: a recovery code (code), the TPM and a PIN \
        (pin), or the TPM. What only a passphrase or a PIN opens (--accessible passcode) a recovery code does not reach: \
        it would go for good, also what the trash and the history have of it, and that is asked first.
        """,
    options: [KeychainOpening.with, OptionSpec("yes", short: "y", help: "Do not ask whether items may go.")]
        + SecretOption.oldPassphrase.options + SecretOption.newPassphrase.options,
    examples: [
        .init("mildam keychain passphrase", "The old one is asked for first."),
        .init("mildam keychain passphrase --with code", "The old one is forgotten."),
    ],
    exitNotes: [.init(.refused, "a PIN reaches items that the way which was given does not")]
) { action in
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    let way = action.invocation.value("with")
    let gone =
        way == nil || way == SlotKind.passphrase.option
        ? try await action.changePassphrase(of: keychain) : try await action.resetPassphrase(of: keychain)
    // An agent forgets the key of what only a passcode opens, as its slot is another one: it has to be unlocked anew.
    for agent in try action.place().keychain.everyAgent().agents { try? agent.lock() }
    return try action.report.answer(ChangedPassphrase(itemsRemoved: gone)) {
        gone == 0 ? "changed" : "changed, and \(gone) items went"
    }
}

extension Action {
    fileprivate func changePassphrase(of keychain: LocalKeychain) async throws -> Int {
        let old = SlotSecret.passphrase(SecretValue(try secret(.oldPassphrase, "Old passphrase")))
        try await keychain.unlock(old)
        let new = try newSecret(of: .passphrase, try newPassphrase, "New passphrase")
        try await keychain.replaceSlot(old, with: new)
        return 0
    }

    fileprivate func resetPassphrase(of keychain: LocalKeychain) async throws -> Int {
        let way = try await slotSecret()
        let instead = "take that way away first, by `mildam keychain remove-slot`"
        try checkReach(of: way.kind, beyond: [.passphrase], in: keychain, instead: instead)
        try await keychain.unlock(way)
        let loss = way.kind.hasPasscode ? 0 : try keychain.passcodeItemCount()
        if loss > 0 { try agreeToLose(loss) }
        let new = try newSecret(of: .passphrase, try newPassphrase, "New passphrase")
        return try await keychain.resetPassphrase(new, authorizedBy: way, loss: loss)
    }

    /// Asks whether items may go whose key goes.
    ///
    /// - Throws: `Declined`.
    func agreeToLose(_ count: Int) throws {
        guard !invocation.flag("yes") else { return }
        let items = count == 1 ? "1 item" : "\(count) items"
        let question =
            "\(items) that only a passphrase or a PIN opens, trash and history too, will be gone for good. Go on?"
        guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
    }

    /// Where the new passphrase is: where the command line says, or behind what opens the keychain.
    private var newPassphrase: SecretOption {
        get throws(UsageError) {
            guard !invocation.isWritten(.newPassphrase), case .descriptor? = try invocation.source(of: .oldPassphrase)
            else { return .newPassphrase }
            return .oldPassphrase
        }
    }
}

private struct ChangedPassphrase: Encodable {
    var changed = true
    var itemsRemoved: Int
}
