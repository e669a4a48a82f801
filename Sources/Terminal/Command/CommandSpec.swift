/// One command of a program: its words, what it takes, and how to explain it.
public struct CommandSpec: Sendable, Equatable {
    /// A command line that works, with what it does.
    public struct Example: Sendable, Equatable {
        /// What to type.
        public let line: String
        /// What happens then, in one line.
        public let explanation: String

        /// Makes an example.
        public init(_ line: String, _ explanation: String) {
            self.line = line
            self.explanation = explanation
        }
    }

    /// What an exit status means for this command in particular.
    public struct ExitNote: Sendable, Equatable {
        /// The status.
        public let status: ExitStatus
        /// When it is given.
        public let note: String

        /// Makes a note.
        public init(_ status: ExitStatus, _ note: String) {
            self.status = status
            self.note = note
        }
    }

    /// The words that name it, after the program's name: `["room", "create"]`.
    public let path: [String]
    /// What it does, in one line.
    public let summary: String
    /// What else there is to know; paragraphs are parted by a blank line.
    public let discussion: String
    /// The arguments known by their place.
    public let operands: [Operand]
    /// Its own options; those of every command stand in the table.
    public let options: [OptionSpec]
    /// Command lines that work.
    public let examples: [Example]
    /// When it ends with which status.
    public let exitNotes: [ExitNote]

    /// Makes a command.
    public init(
        _ path: [String],
        summary: String,
        discussion: String = "",
        operands: [Operand] = [],
        options: [OptionSpec] = [],
        examples: [Example] = [],
        exitNotes: [ExitNote] = []
    ) {
        self.path = path
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
        self.exitNotes = exitNotes
    }

    /// The path as it is typed: "room create".
    public var name: String { path.joined(separator: " ") }
}
