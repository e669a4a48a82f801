import MildamTerminal

/// The options of every command that opens the keychain.
enum KeychainOpening {
    static let with = OptionSpec(
        "with",
        value: .init("WAY", completion: .choices(["passphrase", "pin", "tpm-and-passphrase", "tpm", "code"])),
        help:
            "Open the keychain with its passphrase, the TPM and a PIN (pin), the TPM and a passphrase, the TPM alone, or "
            + "a recovery code."
    )

    static let direct = OptionSpec(
        "no-agent",
        help: "Open the file itself, for this command alone. Readings past the agent are in the audit log."
    )

    /// For a command that always asks for an agent.
    static let question = [with] + SecretOption.passphrase.options

    /// For a command that opens the file itself: to have unlocked it before is of no use.
    static let ofFile = [with] + SecretOption.openingFile.options

    static let all = question + [direct]
}
