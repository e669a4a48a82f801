import Glibc

/// Where the command line says that a secret is.
public enum SecretSource: Equatable, Sendable {
    /// In a file.
    case file(String)
    /// In what an open descriptor gives.
    case descriptor(Int32)

    /// Whether it is what was written to this program.
    public var isStandardInput: Bool { self == .descriptor(STDIN_FILENO) }

    /// Lends its first line, as `PasswordFile` does.
    ///
    /// - Throws: `PromptError`.
    public func line<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) throws(PromptError) -> Result {
        switch self {
        case .file(let path):
            try PasswordFile.read(path, body)
        case .descriptor(STDIN_FILENO):
            try PasswordFile.read(descriptor: STDIN_FILENO, named: "standard input", body)
        case .descriptor(let number):
            try PasswordFile.read(descriptor: number, named: "descriptor \(number)", body)
        }
    }
}

extension Invocation {
    /// The secrets that the command takes.
    public var secrets: [SecretOption] {
        known.compactMap(\.secret).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Where a secret is, if the command line says so; "-" for a file is standard input.
    ///
    /// - Throws: `UsageError` for two places, and for a descriptor that is no number.
    public func source(of secret: SecretOption) throws(UsageError) -> SecretSource? {
        let descriptor = try integer(secret.descriptorOption, in: 0...Int32.max)
        guard let path = value(secret.fileOption) else { return descriptor.map { .descriptor($0) } }
        guard descriptor == nil else {
            throw UsageError(
                .invalidValue(
                    name: "--\(secret.descriptorOption)",
                    expected: "left out: --\(secret.fileOption) is given"
                ),
                command: fullName
            )
        }
        return path == "-" ? .descriptor(STDIN_FILENO) : .file(path)
    }

    /// Whether the command line says where a secret is.
    public func isWritten(_ secret: SecretOption) -> Bool {
        value(secret.fileOption) != nil || value(secret.descriptorOption) != nil
    }

    /// How the command line says where a secret is: "--password-fd".
    public func written(_ secret: SecretOption) -> String {
        "--" + (value(secret.descriptorOption) == nil ? secret.fileOption : secret.descriptorOption)
    }
}
