/// A secret that a command takes, always in the same ways: from a file, from a descriptor, from a variable of the
/// environment where it has one, and otherwise from whoever sits at the terminal. It never stands on the command line.
public struct SecretOption: Sendable, Equatable {
    /// How much of a file or a stream is the secret.
    public enum Extent: Sendable {
        /// The first line, at most `Prompt.longestSecret` bytes; what follows is left for whoever reads on.
        case line
        /// All of it.
        case content
    }

    /// What its options are called by: "password" makes `--password-file` and `--password-fd`.
    public let name: String
    /// What it is, as help and errors say it: "the password of the account".
    public let what: String
    /// The environment variable that holds one, too.
    public let variable: String?
    /// Whether a command to which it is given reads it in any case.
    public let isAlwaysRead: Bool
    /// How much of a file or a stream it is.
    public let extent: Extent
    /// A command after which it is not asked for: "mildam unlock".
    public let beforehand: String?

    /// Describes a secret.
    public init(
        _ name: String,
        _ what: String,
        variable: String? = nil,
        isAlwaysRead: Bool = true,
        extent: Extent = .line,
        beforehand: String? = nil
    ) {
        self.name = name
        self.what = what
        self.variable = variable
        self.isAlwaysRead = isAlwaysRead
        self.extent = extent
        self.beforehand = beforehand
    }

    /// Whether another secret may be the next line of the stream that it comes from.
    public var sharesStream: Bool { isAlwaysRead && extent == .line }

    /// "password-file".
    public var fileOption: String { "\(name)-file" }

    /// "password-fd".
    public var descriptorOption: String { "\(name)-fd" }

    /// The options that say where it is.
    public var options: [OptionSpec] {
        let part = extent == .line ? "the first line of " : ""
        let variable = variable.map { "; \($0) holds it, too" } ?? ""
        return [
            OptionSpec(
                fileOption,
                value: .init("FILE", completion: .file),
                help: "Take \(what) from \(part)FILE, or standard input for \"-\", in place of asking.",
                secret: self
            ),
            OptionSpec(
                descriptorOption,
                value: .init("N"),
                help: "Take it from \(part)descriptor N\(variable).",
                secret: self
            ),
        ]
    }

    /// Every way to give it where nobody can be asked: "--password-file FILE or --password-fd N".
    public var ways: String {
        let ways = ["--\(fileOption) FILE", "--\(descriptorOption) N"] + (variable.map { [$0] } ?? [])
        let first = beforehand.map { ", or `\($0)` first" } ?? ""
        return ways.dropLast().joined(separator: ", ") + " or " + ways[ways.count - 1] + first
    }
}
