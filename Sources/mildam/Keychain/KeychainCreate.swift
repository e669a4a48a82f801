import MildamKeychain
import MildamSystem
import MildamTerminal

let keychainCreate = ActionCommand(
    ["keychain", "create"],
    summary: "Make a keychain.",
    discussion: """
        Asks for a passphrase, twice. Prints a recovery code, which opens the keychain when all else is lost: write it \
        down, and keep it where nobody looks. It is shown this once.
        """,
    options: [
        OptionSpec(
            "tpm",
            value: .init("WAY", completion: .choices(["pin", "passphrase", "unattended"])),
            help: "Use the TPM: with a PIN, with a passphrase (both are needed), or alone (--unattended)."
        ),
        OptionSpec(
            "unattended",
            help: "Let whoever can use this machine open the keychain: with --tpm unattended only."
        ),
        OptionSpec("no-recovery-code", help: "Make no recovery code: what is forgotten is lost."),
        OptionSpec(
            "counter",
            help: "Have a counter in the TPM tell an older copy of the keychain from the newest."
        ),
    ] + SecretOption.newKeychainPassphrase.options,
    examples: [.init("mildam keychain create", "With a passphrase.")],
    exitNotes: [.init(.refused, "there is a keychain already")]
) { action in
    let kind = try action.kindToCreate()
    let path = try action.keychainPath()
    guard !WholeFile.exists(path) else { throw KeychainError.alreadyExists(path: path) }
    let question = kind == .enclavePIN ? "New PIN" : "New passphrase"
    let secret = try action.newSecret(of: kind, .newKeychainPassphrase, question)
    let keychain = try await LocalKeychain.create(at: path, secret: secret, options: try action.keychainOptions())
    if action.invocation.flag("counter") { try await keychain.armCounter() }
    if kind == .enclaveUnattended {
        action.console.complain("mildam: whoever can use this machine can open this keychain")
    }
    var code: String?
    if !action.invocation.flag("no-recovery-code") {
        let new = RecoveryCode()
        try await keychain.addSlot(.recoveryCode(new), authorizedBy: secret)
        code = new.text.text
    }
    let shownCode = code
    return try action.report.answer(CreationAnswer(keychain: path, recoveryCode: shownCode)) {
        let made = "made a keychain in \(shown(path))"
        let code = shownCode.map { "\nrecovery code, to be written down now: \($0)" } ?? ""
        return made + code + "\nIt is locked: `mildam unlock` opens it, or the first command that needs it asks."
    }
}

extension Action {
    fileprivate func kindToCreate() throws -> SlotKind {
        switch invocation.value("tpm") {
        case nil: return .passphrase
        case "pin": return .enclavePIN
        case "passphrase": return .enclaveAndPassphrase
        case "unattended":
            guard invocation.flag("unattended") else {
                throw wrong("--tpm unattended", "--unattended beside it")
            }
            return .enclaveUnattended
        default:
            throw wrong("--tpm", "pin, passphrase or unattended")
        }
    }
}

private struct CreationAnswer: Encodable {
    var keychain: String
    var recoveryCode: String?
}
