import Glibc
import MildamCrypto
import MildamTerminal

let passphraseOption = OptionSpec(
    "passphrase-fd",
    value: .init("N"),
    help:
        "Take the passphrase from the first line of descriptor N, in place of asking; MILDAM_PASSPHRASE holds one, too."
)

extension Action {
    /// Looks, before anything is opened, whether somebody gave us the descriptors of `--passphrase-fd` and `--pin-fd`:
    /// another's number may be that of a file of ours. No child gets them.
    func holdSecretDescriptors() throws {
        for option in ["passphrase-fd", "pin-fd"] where invocation.options[option] != nil {
            try holdDescriptor(option)
        }
    }

    private func holdDescriptor(_ option: String) throws {
        guard let number = try invocation.integer(option, in: 0...Int32.max) else { return }
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw wrong("--\(option)", "an open descriptor, as with --\(option) 3 3<FILE")
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
        if invocation.value("passphrase-fd") == nil, let passphrase = EnvironmentPassphrase.taken.copy {
            return passphrase
        }
        return try secret(
            question,
            confirming: confirming,
            descriptor: "passphrase-fd",
            instead: "--passphrase-fd or \(EnvironmentPassphrase.variable)"
        )
    }

    /// A secret: from the descriptor that an option names, or from whoever sits at the terminal.
    ///
    /// - Parameters:
    ///   - confirming: whether it is asked for twice.
    ///   - instead: what to write on the command line where there is no terminal.
    func secret(
        _ question: String,
        confirming: Bool,
        descriptor option: String,
        instead: String
    ) throws -> SecretBytes {
        if let descriptor = try invocation.integer(option, in: 0...Int32.max) {
            return try PasswordFile.read(descriptor: descriptor, named: "descriptor \(descriptor)") {
                SecretBytes(copying: $0)
            }
        }
        let first = try ask(question, instead)
        guard confirming else { return first }
        let second = try ask("Once more", instead)
        guard isSame(first, second) else { throw PasswordRefusal.different }
        return first
    }

    private func ask(_ question: String, _ instead: String) throws -> SecretBytes {
        try Prompt().password("\(question): ", option: instead) { SecretBytes(copying: $0) }
    }

    func isSame(_ one: borrowing SecretBytes, _ other: borrowing SecretBytes) -> Bool {
        constantTimeEquals(one.span, other.span)
    }
}
