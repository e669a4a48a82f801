import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

/// How a command comes by its secrets: all of them in the same ways, and in the same words.
extension Action {
    /// Whether a secret is there without asking.
    func isGiven(_ secret: SecretOption) -> Bool {
        invocation.isWritten(secret) || variable(of: secret)?.isThere == true
    }

    /// A new secret: asked for twice, and told to whoever typed it where it is easily guessed.
    func newSecret(_ option: SecretOption, _ question: String) throws -> SecretBytes {
        let secret = try secret(option, question, confirming: true)
        guard secret.count > 0 else { throw SecretRefusal.empty }
        if !isGiven(option) { warnIfWeak(secret) }
        return secret
    }

    private func warnIfWeak(_ secret: borrowing SecretBytes) {
        if let weakness = WeakSecret(secret.span) { console.complain("mildam: a weak secret: \(weakness)") }
    }

    private func isSame(_ one: borrowing SecretBytes, _ other: borrowing SecretBytes) -> Bool {
        constantTimeEquals(one.span, other.span)
    }

    /// A secret: from where the command line says, from its variable, or from whoever sits at the terminal.
    ///
    /// - Parameter confirming: whether it is asked for twice.
    func secret(_ option: SecretOption, _ question: String, confirming: Bool = false) throws -> SecretBytes {
        if let source = try invocation.source(of: option) { return try source.line { SecretBytes(copying: $0) } }
        if let secret = variable(of: option)?.copy { return secret }
        let first = try ask(option, question)
        guard confirming else { return first }
        let second = try ask(option, "Once more")
        guard isSame(first, second) else { throw SecretRefusal.different }
        return first
    }

    private func ask(_ option: SecretOption, _ question: String) throws -> SecretBytes {
        try Prompt().password("\(question): ", for: option.what, option: option.ways) { SecretBytes(copying: $0) }
    }

    private func variable(of secret: SecretOption) -> EnvironmentPassphrase? {
        secret.variable == EnvironmentPassphrase.variable ? .taken : nil
    }

    /// Looks, before anything is opened, at every place that a secret is to come from.
    ///
    /// - Throws: `UsageError` for a descriptor that nobody gave us, whose number may be that of a file of ours; and for two
    ///   secrets in one place, unless that is a stream and each a line that is read in any case: then they follow each
    ///   other as the questions do.
    func claimSecretSources() throws {
        var claimed: [(secret: SecretOption, source: SecretSource)] = []
        for secret in invocation.secrets {
            guard let source = try invocation.source(of: secret) else { continue }
            if let other = claimed.first(where: { $0.source == source })?.secret {
                guard other.sharesStream, secret.sharesStream, Self.isStream(source) else {
                    throw wrong(invocation.written(secret), "another place than \(invocation.written(other))")
                }
            } else if case .descriptor(let number) = source {
                try hold(number, of: secret)
            }
            claimed.append((secret, source))
        }
    }

    /// Whether what is read from a place goes on where what was read there before has ended. A file begins anew.
    private static func isStream(_ source: SecretSource) -> Bool {
        if case .file(let path) = source { WholeFile.size(path) == nil } else { true }
    }

    /// No child gets a descriptor that a secret comes from.
    private func hold(_ number: Int32, of secret: SecretOption) throws(UsageError) {
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            let option = invocation.written(secret)
            throw wrong(option, "an open descriptor, as with \(option) 3 3<FILE")
        }
        if number > STDERR_FILENO { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }

    /// Where a secret is that comes from standard input unless something else is said, or somebody sits there.
    func sourceOrInput(of secret: SecretOption) throws(UsageError) -> SecretSource? {
        if let source = try invocation.source(of: secret) { return source }
        guard isatty(STDIN_FILENO) == 0 else { return nil }
        try claimStandardInput()
        return .descriptor(STDIN_FILENO)
    }

    /// All that a place holds, in secret memory; `nil` for more than `limit` bytes.
    func content(of source: SecretSource, limit: Int) throws(SystemError) -> SecretBytes? {
        switch source {
        case .file(let path):
            try SecretBytes.reading(Descriptor.open(path, O_RDONLY | O_NOCTTY), limit: limit, path: path)
        case .descriptor(let number):
            try SecretBytes.reading(Descriptor.copy(of: number), limit: limit)
        }
    }

    /// Says that the command's content comes from standard input, whence no secret can come then.
    func claimStandardInput() throws(UsageError) {
        for secret in invocation.secrets where try invocation.source(of: secret)?.isStandardInput == true {
            throw wrong(invocation.written(secret), "another place: standard input is the content")
        }
    }
}

/// Why a secret is not taken.
enum SecretRefusal: EndsWithStatus, CustomStringConvertible {
    case empty, different

    var exitStatus: ExitStatus { .refused }

    var description: String {
        switch self {
        case .empty: "an empty secret protects nothing; nothing was done"
        case .different: "the two are not the same; nothing was done"
        }
    }
}
