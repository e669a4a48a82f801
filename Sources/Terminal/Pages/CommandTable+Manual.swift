extension CommandTable {
    /// Every manual page, and the name of its file: `mildam-vault-add.1` is what `man mildam vault add` looks for.
    ///
    /// Commands that are handed over to another program have their pages there.
    public var manualPages: [(file: String, source: String)] {
        let others = groups.filter { $0.program != nil }.map(\.name)
        return paths.filter { path in !others.contains(path.first ?? "") }
            .map { ("\(manualName(of: $0)).1", manualPage(of: $0)) }
    }

    /// The manual page (section 1) of the program (an empty path), a group or a command, in the man(7) macros, which mandoc
    /// and groff read alike.
    public func manualPage(of path: [String] = []) -> String {
        var page = ManualPage()
        page.title(manualName(of: path).uppercased(), date: date, version: versionLine)
        page.macro("SH", "NAME")
        page.name(manualName(of: path), summary: summary(of: path))
        page.macro("SH", "SYNOPSIS")
        page.usage(usage(of: path))
        page.macro("SH", "DESCRIPTION")
        if let command = command(at: path) {
            explain(command, on: &page)
        } else if path.isEmpty {
            explainAll(on: &page)
        } else {
            page.text(summary(of: path))
            page.section("COMMANDS", commands(under: path).map { ($0.name, $0.summary) })
        }
        page.references(relatives(of: path).map(manualName))
        return page.source
    }

    private func explain(_ command: CommandSpec, on page: inout ManualPage) {
        page.text(command.summary)
        if !command.discussion.isEmpty {
            page.macro("PP")
            page.paragraphs(command.discussion)
        }
        page.section("ARGUMENTS", command.operands.map { ($0.usage, $0.explanation) })
        page.section(
            "OPTIONS",
            (command.options + sharedOptions(at: command.path)).map { ($0.heading, $0.explanation) }
        )
        page.examples(command.examples)
        page.section("EXIT STATUS", command.exitNotes.map { (String($0.status.rawValue), $0.note) })
    }

    private func explainAll(on page: inout ManualPage) {
        page.paragraphs(discussion.isEmpty ? summary : discussion)
        page.macro("SH", "OPTIONS")
        page.text("These may stand before the command or after it.")
        page.list((globalOptions + [.help, .version]).map { ($0.heading, $0.explanation) })
        page.section("COMMANDS", commands.map { ($0.name, $0.summary) })
        page.section("ENVIRONMENT", environment.map { ($0.name, $0.help) })
        page.section("FILES", files.map { ($0.name, $0.help) })
        page.section("EXIT STATUS", ExitStatus.table)
    }

    /// The program's page, the group's, and those that a group or the program lists; a group of another program's commands
    /// is that program's page.
    private func relatives(of path: [String]) -> [[String]] {
        if path.isEmpty { return paths.filter { $0.count == 1 } }
        let above = path.indices.map { Array(path.prefix($0)) }
        return above + commands(under: path).map(\.path).filter { $0 != path }
    }

    /// "mildam-vault-add".
    private func manualName(of path: [String]) -> String { ([program] + path).joined(separator: "-") }
}
