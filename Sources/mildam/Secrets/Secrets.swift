import MildamTerminal

/// Every secret that a command takes.
extension SecretOption {
    // MARK: Of an account

    static let password = SecretOption("password", "the account's password")
    static let newPassword = SecretOption("new-password", "the new password")
    static let code = SecretOption("code", "the second factor's code, or a recovery code,")
    static let invitation = SecretOption("invitation", "the invitation that the relay asks for")
    static let link = SecretOption("link", "their link")

    // MARK: Of the keychain

    /// What opens the keychain where it is in the way of something else.
    static let passphrase = SecretOption(
        "passphrase",
        "the keychain's passphrase, PIN or code",
        variable: EnvironmentPassphrase.variable,
        isAlwaysRead: false,
        beforehand: "mildam unlock"
    )
    /// The same for what opens the file itself, whether an agent has it open or not.
    static let openingFile = SecretOption(
        "passphrase",
        "the keychain's passphrase, PIN or code",
        variable: EnvironmentPassphrase.variable,
        isAlwaysRead: false
    )
    /// The same for whoever opens it.
    static let unlocking = SecretOption(
        "passphrase",
        "the keychain's passphrase, PIN or code",
        variable: EnvironmentPassphrase.variable
    )
    static let oldPassphrase = SecretOption(
        "passphrase",
        "the keychain's old passphrase",
        variable: EnvironmentPassphrase.variable
    )
    /// It has no variable: the one that there is holds the old passphrase.
    static let newPassphrase = SecretOption("new-passphrase", "the keychain's new passphrase")
    static let newKeychainPassphrase = SecretOption(
        "passphrase",
        "the passphrase, or the PIN, of the new keychain",
        variable: EnvironmentPassphrase.variable
    )
    static let item = SecretOption("secret", "the secret", extent: .content)
    static let token = SecretOption("uri", "the token, an otpauth:// URI,", extent: .content)
    static let exportPassword = SecretOption("password", "the password or passphrase of the file")

    // MARK: Of files and keys

    static let filePassphrase = SecretOption(
        "passphrase",
        "the file's passphrase",
        variable: EnvironmentPassphrase.variable
    )
    /// Of a key file that is named beside what opens the keychain.
    static let identityPassphrase = SecretOption(
        "identity-passphrase",
        "the passphrase of the key file",
        isAlwaysRead: false
    )
    static let storePassword = SecretOption(
        "password",
        "the store's password",
        variable: EnvironmentPassphrase.variable
    )
    static let pin = SecretOption("pin", "the key's PIN or passphrase", isAlwaysRead: false)
    static let clientSecret = SecretOption("client-secret", "the client's secret")
}
