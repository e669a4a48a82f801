import Glibc
import MildamCrypto
import MildamTerminal

extension Action {
    /// Looks, before anything is opened, whether somebody gave us the descriptor of `--passphrase-fd`: another's number may
    /// be that of a file of ours. No child gets it.
    func holdPassphraseDescriptor() throws {
        guard invocation.options["passphrase-fd"] != nil,
            let number = try invocation.integer("passphrase-fd", in: 0...Int32.max)
        else { return }
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw UsageError(
                .invalidValue(
                    name: "--passphrase-fd",
                    expected: "an open descriptor, as with --passphrase-fd 3 3<FILE"
                ),
                command: invocation.fullName
            )
        }
        if number > STDERR_FILENO { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }

    /// Whether a passphrase is there without asking.
    var hasPassphrase: Bool {
        invocation.value("passphrase-fd") != nil || EnvironmentPassphrase.taken.isThere
    }

    /// The passphrase: from `--passphrase-fd`, from `MILDAM_PASSPHRASE`, or from whoever sits at the terminal.
    ///
    /// - Parameter confirming: whether it is asked for twice.
    func passphrase(_ question: String, confirming: Bool) throws -> SecretBytes {
        if let descriptor = try invocation.integer("passphrase-fd", in: 0...Int32.max) {
            return try PasswordFile.read(descriptor: descriptor, named: "descriptor \(descriptor)") {
                SecretBytes(copying: $0)
            }
        }
        if let passphrase = EnvironmentPassphrase.taken.copy { return passphrase }
        let first = try ask(question)
        guard confirming else { return first }
        let second = try ask("Once more")
        guard isSame(first, second) else { throw PasswordRefusal.different }
        return first
    }

    private func ask(_ question: String) throws -> SecretBytes {
        try Prompt().password(
            "\(question): ",
            option: "--passphrase-fd or \(EnvironmentPassphrase.variable)"
        ) { SecretBytes(copying: $0) }
    }

    func isSame(_ one: borrowing SecretBytes, _ other: borrowing SecretBytes) -> Bool {
        constantTimeEquals(one.span, other.span)
    }
}
