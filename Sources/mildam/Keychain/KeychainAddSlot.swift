import MildamKeychain
import MildamTerminal

let keychainAddSlot = ActionCommand(
    ["keychain", "add-slot"],
    summary: "Add a way to open the keychain.",
    discussion: """
        A passphrase, the TPM with a PIN (pin), with a passphrase (tpm-and-passphrase) or alone (tpm, with --unattended), \
        or a recovery code, which is printed this once. The ways that there are stay; `mildam keychain remove-slot` takes \
        one away.

        What only a passphrase or a PIN opens is out of reach of a recovery code and of the TPM alone. So where there is a \
        passphrase or a PIN, only such a way adds another one. In place of a passphrase that is forgotten, \
        `mildam keychain passphrase --with code` sets a new one.
        """,
    operands: [
        Operand("WAY", help: "What is to open it.", completion: .choices(SlotKind.allCases.map(\.option)))
    ],
    options: [
        OptionSpec(
            "unattended",
            help: "Let whoever can use this machine open the keychain: for the way tpm only."
        )
    ] + SecretOption.newPassphrase.options + KeychainOpening.ofFile,
    examples: [
        .init("mildam keychain add-slot pin", "Asks for what opens the keychain, and for the new PIN."),
        .init("mildam keychain add-slot code", "Prints a recovery code; the older ones stay."),
    ],
    exitNotes: [.init(.refused, "there are 32 ways already, or the one that was given does not reach every item")]
) { action in
    let kind = try action.kindToAdd()
    let keychain = try LocalKeychain(path: try action.keychainPath(), options: try action.keychainOptions())
    try action.checkRoomForAnotherWay(into: keychain)
    let secret = try await action.slotSecret()
    if kind.hasPasscode {
        let way = secret.kind.option
        let instead = "`mildam keychain passphrase --with \(way)` sets a new passphrase in place of a forgotten one"
        try action.checkReach(of: secret.kind, beyond: [], in: keychain, instead: instead)
    }
    try await keychain.unlock(secret)
    let code = RecoveryCode()
    let new =
        try kind == .recoveryCode
        ? .recoveryCode(code)
        : action.newSecret(of: kind, .newPassphrase, kind == .enclavePIN ? "New PIN" : "New passphrase")
    let slot = try await keychain.addSlot(new, authorizedBy: secret)
    let text = kind == .recoveryCode ? code.text.text : nil
    return try action.report.answer(AddedSlot(number: slot.number, way: kind.option, recoveryCode: text)) {
        text ?? "added, number \(slot.number)"
    }
}

extension Action {
    fileprivate func kindToAdd() throws(UsageError) -> SlotKind {
        let name = invocation.operand("WAY")
        guard let kind = SlotKind.allCases.first(where: { $0.option == name }) else {
            throw wrong("WAY", SlotKind.allCases.map(\.option).joined(separator: ", "))
        }
        guard kind == .enclaveUnattended || !invocation.flag("unattended") else {
            throw wrong("--unattended", "left out: it is for the way tpm")
        }
        guard kind != .enclaveUnattended || invocation.flag("unattended") else {
            throw wrong("tpm", "given with --unattended")
        }
        return kind
    }
}

private struct AddedSlot: Encodable {
    var number: Int64
    var way: String
    var recoveryCode: String?
}
