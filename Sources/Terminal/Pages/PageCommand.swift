import Glibc
import MildamSystem

/// The commands that every program has. What they print is made from its table.
enum PageCommand: String, CaseIterable {
    case version, completion, manual, reference

    /// What the table says of these commands, and of `help`, which is `--help` in another place.
    static func specs(of program: String) -> [CommandSpec] {
        [
            CommandSpec(
                [OptionSpec.help.long],
                summary: "Explain a command, as --help behind it does.",
                operands: [
                    Operand(
                        "COMMAND",
                        help: "Its words; everything is listed without.",
                        arity: .any,
                        completion: .commands
                    )
                ],
                examples: [.init("\(program) help", "What there is.")]
            )
        ] + allCases.map { $0.spec(of: program) }
    }

    private func spec(of program: String) -> CommandSpec {
        switch self {
        case .version:
            CommandSpec(
                [rawValue],
                summary: "Show the version, as --version does.",
                examples: [.init("\(program) version", "One line.")]
            )
        case .completion:
            CommandSpec(
                [rawValue],
                summary: "Print a shell's completions.",
                operands: [Operand("SHELL", help: "Which shell.", completion: .choices(["bash", "zsh", "fish"]))],
                examples: [.init("source <(\(program) completion bash)", "For this shell.")]
            )
        case .manual:
            CommandSpec(
                [rawValue],
                summary: "Print a manual page, or write them all.",
                discussion: """
                    Each command has a page of its own, and so has each group of commands; without a command it is the \
                    page that lists them.
                    """,
                operands: [
                    Operand(
                        "COMMAND",
                        help: "The words of a command or a group.",
                        arity: .any,
                        completion: .commands
                    )
                ],
                options: [
                    OptionSpec(
                        "into",
                        value: .init("FOLDER", completion: .folder),
                        help: "Write every page into this folder, where `man` finds them, in place of printing one."
                    )
                ],
                examples: [
                    .init("\(program) manual | man -l -", "Read the one that lists them."),
                    .init("\(program) manual --into ~/.local/share/man/man1", "For `man \(program)`."),
                ]
            )
        case .reference:
            CommandSpec(
                [rawValue],
                summary: "Print the reference page, in Markdown.",
                examples: [.init("\(program) reference > reference.md", "Every command on one page.")]
            )
        }
    }

    /// Prints the page.
    ///
    /// - Throws: `UsageError` for a command that is not there; `SystemError`.
    func print(_ table: CommandTable, _ invocation: Invocation, on console: Console) throws {
        switch self {
        case .version: try console.print(table.versionLine)
        case .completion:
            let script =
                switch invocation.operand("SHELL") {
                case "bash": table.bashCompletion
                case "zsh": table.zshCompletion
                default: table.fishCompletion
                }
            try console.print(script, terminator: "")
        case .manual: try printManual(table, invocation, console)
        case .reference: try console.print(table.referencePage, terminator: "")
        }
    }

    private func printManual(_ table: CommandTable, _ invocation: Invocation, _ console: Console) throws {
        let words = invocation.operands("COMMAND")
        guard let folder = invocation.value("into") else {
            return try console.print(table.manualPage(of: try table.path(of: words)), terminator: "")
        }
        guard words.isEmpty else {
            throw UsageError(
                .invalidValue(name: "--into", expected: "given without a command: it writes every page"),
                command: invocation.fullName
            )
        }
        try Folder.create(folder, mode: 0o755)
        for page in table.manualPages { try Self.write(page.source, to: "\(folder)/\(page.file)") }
        try console.print("wrote \(table.manualPages.count) pages to \(TerminalText.sanitized(folder))")
    }

    /// A manual is for everybody on the machine.
    private static func write(_ source: String, to path: String) throws(SystemError) {
        var file = try NewFile(for: path)
        try file.descriptor.write(Array(source.utf8).span, path: path)
        guard fchmod(file.descriptor.number, 0o644) == 0 else { throw .last("make readable", path) }
        try file.publish(replacing: true)
    }
}
