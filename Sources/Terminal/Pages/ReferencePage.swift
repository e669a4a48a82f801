extension CommandTable {
    /// The reference page in Markdown (CommonMark with tables).
    public var referencePage: String {
        var page = ReferencePage()
        page.line("# \(program)")
        page.line(Markdown.escaped(summary))
        page.line(Markdown.escaped(discussion))
        page.code([usage(of: [])])
        page.table("Option of every command", globalOptions.map { ($0.heading, $0.explanation) })
        page.table("Option", [OptionSpec.help, .version].map { ($0.heading, $0.explanation) })
        for path in paths.dropFirst() {
            page.line("## \(fullName(of: path))")
            page.line(Markdown.escaped(summary(of: path)))
            guard let command = command(at: path) else { continue }
            page.code([usage(of: path)])
            page.line(Markdown.escaped(command.discussion))
            page.table("Argument", command.operands.map { ($0.usage, $0.explanation) })
            page.table("Option", command.options.map { ($0.heading, $0.explanation) })
            for example in command.examples {
                page.line(Markdown.escaped(example.explanation))
                page.code(["$ \(example.line)"])
            }
            page.table("Exit status", command.exitNotes.map { (String($0.status.rawValue), $0.note) })
        }
        for (heading, surroundings) in [("Environment variable", environment), ("File", files)] {
            guard !surroundings.isEmpty else { continue }
            page.line("## \(heading)s")
            page.table(heading, surroundings.map { ($0.name, $0.help) })
        }
        page.line("## Exit statuses")
        page.table("Exit status", ExitStatus.table)
        return page.source
    }
}

private struct ReferencePage {
    private(set) var source = ""

    mutating func line(_ text: String) {
        guard !text.isEmpty else { return }
        source += (source.isEmpty ? "" : "\n") + text + "\n"
    }

    mutating func code(_ lines: [String]) {
        line((["```console"] + lines + ["```"]).joined(separator: "\n"))
    }

    mutating func table(_ heading: String, _ rows: [(name: String, explanation: String)]) {
        guard !rows.isEmpty else { return }
        let body = rows.map { "| `\(Markdown.inCell($0.name))` | \(Markdown.escaped($0.explanation)) |" }
        line((["| \(heading) | |", "|---|---|"] + body).joined(separator: "\n"))
    }
}

/// Text as Markdown that shows exactly that text.
enum Markdown {
    /// A backslash before every character that could mean something.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\`*_{}[]<>#|~".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    /// Code inside a table, where only the bar would end the cell.
    static func inCell(_ code: String) -> String {
        code.reduce(into: "") { $0 += $1 == "|" ? "\\|" : String($1) }
    }
}
