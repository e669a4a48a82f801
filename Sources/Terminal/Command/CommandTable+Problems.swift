extension CommandTable {
    /// What is inconsistent in the table, in words; empty for a good one. A program's tests hold its table to this.
    ///
    /// Names are restricted to what needs no quoting in any shell, so that completion scripts cannot be led astray.
    public var problems: [String] {
        var problems: [String] = []
        if !Self.isPlain(program) { problems.append("the program's name '\(program)' is not a plain word") }
        if !date.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }) {
            problems.append("the date '\(date)' is not written YYYY-MM-DD")
        }
        for command in commands {
            problems += self.problems(of: command).map { "\(command.name): \($0)" }
        }
        for path in paths where path.count == 1 && command(at: path) == nil && summary(of: path).isEmpty {
            problems.append("the group '\(path[0])' has no summary")
        }
        for group in groups where commands(under: [group.name]).isEmpty {
            problems.append("the group '\(group.name)' has no command")
        }
        for (word, path) in shortcuts {
            if words(after: []).contains(word) { problems.append("the shortcut '\(word)' is a command or a group") }
            if command(at: path) == nil { problems.append("the shortcut '\(word)' leads to no command") }
        }
        return problems
    }

    private func problems(of command: CommandSpec) -> [String] {
        var problems: [String] = []
        if command.path.isEmpty || !command.path.allSatisfy(Self.isPlain) {
            problems.append("the name is not made of plain words")
        }
        let others = commands.filter { $0.path.starts(with: command.path) }
        if others.count > 1 { problems.append("the name is taken, or the beginning of another") }
        if command.operands.count(where: { $0.arity != .one }) > 1 {
            problems.append("only one operand may vary in number")
        }
        let names = command.operands.map(\.name)
        if Set(names).count < names.count { problems.append("two operands have the same name") }
        if command.examples.isEmpty { problems.append("it has no example") }

        let options = options(at: command.path) + [.version]
        let spellings = options.flatMap(\.spellings)
        if Set(spellings).count < spellings.count { problems.append("two options are written alike") }
        for option in options {
            if !Self.isPlain(option.long) { problems.append("--\(option.long) is not a plain word") }
            if let short = option.short, !Self.isPlain(String(short)) {
                problems.append("-\(short) is not a plain letter")
            }
        }
        let completions = options.compactMap { $0.value?.completion } + command.operands.map(\.completion)
        let choices = completions.compactMap(\.choices)
        for choice in choices.joined() where !Self.isPlain(choice) {
            problems.append("the choice '\(choice)' is not a plain word")
        }
        for case .names(let kind) in completions where !Self.isPlain(kind) {
            problems.append("the kind of names '\(kind)' is not a plain word")
        }
        return problems
    }

    /// Letters, digits, and inside the word hyphens, dots and underscores.
    private static func isPlain(_ word: String) -> Bool {
        let isLetter = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        let joins = Array("-._".utf8)
        return word.utf8.first.map(isLetter) ?? false && word.utf8.allSatisfy { isLetter($0) || joins.contains($0) }
    }
}
