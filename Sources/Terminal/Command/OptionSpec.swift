/// An option: a flag, or a name with a value.
public struct OptionSpec: Sendable, Equatable {
    /// The value of an option.
    public struct Value: Sendable, Equatable {
        /// What it is called in the usage line, in capitals: "FILE".
        public let placeholder: String
        /// What a shell offers for it.
        public let completion: Completion

        /// Describes a value.
        public init(_ placeholder: String, completion: Completion = .none) {
            self.placeholder = placeholder
            self.completion = completion
        }
    }

    /// The name after two hyphens: "file".
    public let long: String
    /// The letter after one hyphen.
    public let short: Character?
    /// The value it takes; a flag takes none.
    public let value: Value?
    /// What it does, in one line.
    public let help: String
    /// Whether it may be given more than once.
    public let isRepeatable: Bool
    /// The secret whose place it names, if it does that.
    public let secret: SecretOption?

    /// Makes an option.
    public init(
        _ long: String,
        short: Character? = nil,
        value: Value? = nil,
        help: String,
        isRepeatable: Bool = false,
        secret: SecretOption? = nil
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.isRepeatable = isRepeatable
        self.secret = secret
    }

    /// `--help`, which everything has.
    static let help = OptionSpec("help", short: "h", help: "Show this help.")

    /// `--version`, which the program has.
    static let version = OptionSpec("version", help: "Show the version.")

    /// The same, where its letter is another's.
    var withoutShort: OptionSpec {
        OptionSpec(long, value: value, help: help, isRepeatable: isRepeatable, secret: secret)
    }

    /// "-f", "--file": every way to write its name.
    var spellings: [String] {
        (short.map { ["-\($0)"] } ?? []) + ["--\(long)"]
    }

    /// "-f, --file FILE".
    var heading: String {
        spellings.joined(separator: ", ") + (value.map { " \($0.placeholder)" } ?? "")
    }
}
