import MildamCrypto
import MildamTerminal

let filePasswordOption = OptionSpec(
    "password-file",
    value: .init("FILE", completion: .file),
    help: "Take the file's password or passphrase from the first line of this one, in place of asking."
)

extension Action {
    /// What opens a file, or is to open it: from `--password-file`, or from whoever sits at the terminal. The passphrase of
    /// the keychain is another one.
    ///
    /// - Parameter confirming: whether it is asked for twice.
    func filePassword(_ question: String, confirming: Bool) throws -> SecretBytes {
        if let path = invocation.value("password-file") {
            return try PasswordFile.read(path) { SecretBytes(copying: $0) }
        }
        let first = try askForFile(question)
        guard confirming else { return first }
        let second = try askForFile("Once more")
        guard isSame(first, second) else { throw PasswordRefusal.different }
        return first
    }

    private func askForFile(_ question: String) throws -> SecretBytes {
        try Prompt().password("\(question): ", option: "--password-file") { SecretBytes(copying: $0) }
    }
}
