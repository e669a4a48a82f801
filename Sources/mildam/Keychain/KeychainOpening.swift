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

    /// For a command that asks for no agent, or always for one.
    static let question = [with] + SecretOption.passphrase.options

    static let all = question + [direct]
}
