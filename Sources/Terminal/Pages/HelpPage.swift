/// What `--help` prints: for the program, a group of commands, or one command.
struct HelpPage {
    let table: CommandTable
    let path: [String]
    let width: Int
    let style: Style

    private var lines: [String] = []

    init(table: CommandTable, path: [String], width: Int, style: Style) {
        self.table = table
        self.path = path
        // Longer lines than this are hard to read, shorter ones leave no room beside the names.
        self.width = min(max(width, 40), 100)
        self.style = style
    }

    mutating func text() -> String {
        lines = DisplayWidth.wrapped("\(table.fullName(of: path)): \(table.summary(of: path))", to: width)
        section("Usage")
        paragraph(table.usage(of: path))
        if let command = table.command(at: path) {
            let others = table.otherNames(of: command)
            if !others.isEmpty { paragraph("Also: \(others.joined(separator: ", ")).") }
            discussion(command.discussion)
            list("Arguments", command.operands.map { ($0.usage, $0.explanation) })
            list("Options", command.options.map(Self.row))
            list("Options of every command", table.sharedOptions(at: path).map(Self.row))
            examples(command.examples)
            list("Exit status", command.exitNotes.map { (String($0.status.rawValue), $0.note) })
        } else {
            if path.isEmpty { discussion(table.discussion) }
            list("Commands", table.commands(under: path).map { ($0.name, $0.summary) })
            list("Options", table.options(at: path).map(Self.row))
            examples(table.commands(under: path).compactMap(\.examples.first).prefix(3))
            if path.isEmpty { list("Exit status", ExitStatus.table) }
            lines.append("")
            paragraph("'\(table.fullName(of: path)) COMMAND --help' explains a command.", indent: 0)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ option: OptionSpec) -> (String, String) {
        (option.short == nil ? "    \(option.heading)" : option.heading, option.explanation)
    }

    private mutating func section(_ title: String) {
        lines += ["", style.bold(title)]
    }

    private mutating func paragraph(_ text: String, indent: Int = 2) {
        let margin = String(repeating: " ", count: indent)
        lines += DisplayWidth.wrapped(text, to: width - indent).map { $0.isEmpty ? "" : margin + $0 }
    }

    private mutating func discussion(_ text: String) {
        guard !text.isEmpty else { return }
        lines.append("")
        paragraph(text, indent: 0)
    }

    /// Names on the left and explanations beside them; below a name that is too long for its column.
    private mutating func list(_ title: String, _ rows: [(name: String, explanation: String)]) {
        guard !rows.isEmpty else { return }
        section(title)
        let column = min(rows.map { DisplayWidth.of($0.name) }.max() ?? 0, max(12, width / 3))
        for row in rows {
            let explanation = DisplayWidth.wrapped(row.explanation, to: width - column - 4)
            let margin = String(repeating: " ", count: column + 4)
            if DisplayWidth.of(row.name) > column {
                lines.append("  \(row.name)")
                lines += explanation.map { margin + $0 }
            } else {
                lines.append("  \(DisplayWidth.padded(row.name, to: column))  \(explanation[0])")
                lines += explanation.dropFirst().map { margin + $0 }
            }
        }
    }

    private mutating func examples(_ examples: some Collection<CommandSpec.Example>) {
        guard !examples.isEmpty else { return }
        section("Examples")
        for example in examples {
            lines.append("  $ \(example.line)")
            paragraph(example.explanation, indent: 6)
        }
    }
}

extension CommandTable {
    /// What `--help` prints at `path`: for the program (an empty path), a group or a command.
    ///
    /// - Parameter width: the columns of the terminal.
    public func help(for path: [String] = [], width: Int = 80, style: Style = .plain) -> String {
        var page = HelpPage(table: self, path: path, width: width, style: style)
        return page.text()
    }
}

extension Operand {
    /// The help, with the words it accepts if they are a closed set.
    var explanation: String { help + completion.choicesNote }
}

extension OptionSpec {
    /// The help, with what else one must know to write it.
    var explanation: String {
        help + (value?.completion.choicesNote ?? "") + (isRepeatable ? " May be repeated." : "")
    }
}

extension Completion {
    fileprivate var choicesNote: String {
        choices.map { " One of: \($0.joined(separator: ", "))." } ?? ""
    }
}
