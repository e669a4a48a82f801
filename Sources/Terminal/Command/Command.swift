/// A command of a program: what there is to say of it, and the function that runs it.
public struct Command<Run: Sendable>: Sendable {
    /// What parsing, help, completions, manual and reference know of it.
    public let spec: CommandSpec
    /// What runs it.
    public let run: Run

    /// Makes a command; the words are those of `CommandSpec`.
    public init(
        _ path: [String],
        summary: String,
        discussion: String = "",
        operands: [Operand] = [],
        options: [OptionSpec] = [],
        examples: [CommandSpec.Example] = [],
        exitNotes: [CommandSpec.ExitNote] = [],
        run: Run
    ) {
        spec = CommandSpec(
            path,
            summary: summary,
            discussion: discussion,
            operands: operands,
            options: options,
            examples: examples,
            exitNotes: exitNotes
        )
        self.run = run
    }

    /// The same command with more options.
    public func taking(_ options: [OptionSpec]) -> Command {
        Command(
            spec.path,
            summary: spec.summary,
            discussion: spec.discussion,
            operands: spec.operands,
            options: spec.options + options,
            examples: spec.examples,
            exitNotes: spec.exitNotes,
            run: run
        )
    }
}

/// The commands of a program: the table that explains them, and what runs each. Every program has those that print what is
/// in its table, too: `help`, `version`, `completion`, `manual` and `reference`.
public struct CommandSet<Run: Sendable>: Sendable {
    /// What the program can do.
    public let table: CommandTable
    private let commands: [Command<Run>]
    /// Commands that are on no page, by their first words.
    private let unlisted: CommandTable

    /// Makes a set of commands, in the order in which they are listed.
    ///
    /// - Parameters:
    ///   - unlisted: commands that programs type, and no person: they are on no page. Each has one word.
    ///   - table: makes the table of what the commands say of themselves.
    public init(
        _ commands: [Command<Run>],
        unlisted: [Command<Run>] = [],
        table: ([CommandSpec]) -> CommandTable
    ) {
        self.unlisted = table(unlisted.map(\.spec))
        var whole = table(commands.map(\.spec))
        whole.commands += PageCommand.specs(of: whole.program)
        self.table = whole
        self.commands = commands + unlisted
    }

    /// What the arguments after the program's name ask to be run, and what it is run with. Where they ask for help, the
    /// version or another page, that is printed, and there is nothing to run.
    ///
    /// - Throws: `UsageError`; `SystemError` when it cannot be printed.
    public func chosen(by arguments: [String], on console: Console) throws -> (run: Run, invocation: Invocation)? {
        let isUnlisted = arguments.first.map { word in unlisted.commands.contains { $0.path == [word] } } ?? false
        let table = isUnlisted ? unlisted : table
        switch try table.parse(arguments) {
        case .version:
            try console.print(table.versionLine)
        case .help(let path):
            try console.print(table.help(for: path, width: console.width(), style: console.style()), terminator: "")
        case .run(let invocation):
            if let command = commands.first(where: { $0.spec == invocation.command }) {
                return (command.run, invocation)
            }
            guard let page = PageCommand(rawValue: invocation.command.name) else {
                preconditionFailure("the table has a command of its own: \(invocation.command.name)")
            }
            try page.print(table, invocation, on: console)
        }
        return nil
    }
}
