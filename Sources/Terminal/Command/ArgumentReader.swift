extension CommandTable {
    /// What a command line asks for.
    public enum Request: Equatable, Sendable {
        /// Run a command.
        case run(Invocation)
        /// Explain the program, a group or a command.
        case help([String])
        /// Name the version.
        case version
    }

    /// Understands the arguments after the program's name.
    ///
    /// `--name value`, `--name=value`, `-n value`, `-nvalue`; flags of one letter may share a hyphen; `--` ends the
    /// options. Names are never completed: an abbreviation that works today would break when the next option comes.
    ///
    /// - Throws: `UsageError` for whatever the table does not allow.
    public func parse(_ arguments: [String]) throws(UsageError) -> Request {
        var reader = ArgumentReader(table: self, rest: arguments[...])
        return try reader.read()
    }
}

/// Reads a command line from left to right.
struct ArgumentReader {
    let table: CommandTable
    var rest: ArraySlice<String>

    private var path: [String] = []
    private var command: CommandSpec?
    private var arguments: [String] = []
    private var options: [String: [String]] = [:]

    init(table: CommandTable, rest: ArraySlice<String>) {
        self.table = table
        self.rest = rest
    }

    mutating func read() throws(UsageError) -> CommandTable.Request {
        while let argument = rest.popFirst() {
            if argument == "--" {
                while let word = rest.popFirst() { try take(word) }
            } else if argument.hasPrefix("--") {
                try takeLong(argument)
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeShort(argument.dropFirst())
            } else {
                try take(argument)
            }
        }
        if let asked = options[OptionSpec.help.long] {
            // `help --help` is about that word itself.
            return .help(path.isEmpty && asked.count > 1 ? [OptionSpec.help.long] : path)
        }
        if options[OptionSpec.version.long] != nil { return .version }
        guard let command else { throw error(.missingCommand) }
        return .run(
            Invocation(
                command,
                operands: try assigned(to: command),
                options: options,
                known: table.options(at: path),
                fullName: table.fullName(of: path)
            )
        )
    }

    /// A word: of the command's name while that is incomplete, an operand afterwards. "help" is `--help`.
    private mutating func take(_ word: String) throws(UsageError) {
        guard command == nil else { return arguments.append(word) }
        if word == OptionSpec.help.long, path.isEmpty || !table.words(after: path).contains(word) {
            return options[word, default: []].append("")
        }
        path += try table.words(for: word, after: path)
        command = table.command(at: path)
    }

    private mutating func takeLong(_ argument: String) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let known = table.options(at: path)
        guard let option = known.first(where: { "--\($0.long)" == name }) else {
            let names = known.map { "--\($0.long)" }
            throw error(.unknownOption(name), suggestion: EditDistance.suggestion(for: name, among: names))
        }
        try take(option, written: name, attached: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// Letters behind one hyphen: flags, and at most one option at the end that takes the rest as its value.
    private mutating func takeShort(_ letters: Substring) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = table.options(at: path).first(where: { $0.short == letter }) else {
                throw error(.unknownOption("-\(letter)"))
            }
            if option.value != nil, !letters.isEmpty {
                return try take(option, written: "-\(letter)", attached: String(letters))
            }
            try take(option, written: "-\(letter)", attached: nil)
        }
    }

    private mutating func take(_ option: OptionSpec, written: String, attached: String?) throws(UsageError) {
        guard options[option.long] == nil || option.isRepeatable || option == .help else {
            throw error(.repeatedOption(written))
        }
        guard let value = option.value else {
            guard attached == nil else { throw error(.unexpectedValue(option: written)) }
            options[option.long, default: []].append("")
            return
        }
        guard let given = attached ?? nextValue() else {
            throw error(.missingValue(option: written, placeholder: value.placeholder))
        }
        try check(given, against: value.completion, name: written)
        options[option.long, default: []].append(given)
    }

    /// The next argument, unless it is itself an option: whoever means that as a value writes `--name=--value`.
    private mutating func nextValue() -> String? {
        guard let next = rest.first, next != "--" else { return nil }
        if table.options(at: path).contains(where: { $0.spellings.contains(next) }) { return nil }
        return rest.popFirst()
    }

    private func check(_ value: String, against completion: Completion, name: String) throws(UsageError) {
        guard let choices = completion.choices, !choices.contains(value) else { return }
        let expected = "one of " + choices.joined(separator: ", ")
        throw error(
            .invalidValue(name: name, expected: expected),
            suggestion: EditDistance.suggestion(for: value, among: choices)
        )
    }

    /// Gives each operand its arguments: first what each needs, then the surplus to those that can take it.
    private func assigned(to command: CommandSpec) throws(UsageError) -> [String: [String]] {
        var surplus = arguments.count - command.operands.count { !$0.arity.allowsNone }
        var left = arguments[...]
        var result: [String: [String]] = [:]
        for operand in command.operands {
            var wanted = operand.arity.allowsNone ? 0 : 1
            if surplus > 0, operand.arity != .one {
                let more = operand.arity.allowsMany ? surplus : 1
                wanted += more
                surplus -= more
            }
            guard left.count >= wanted else { throw error(.missingOperand(operand.name)) }
            let values = Array(left.prefix(wanted))
            for value in values { try check(value, against: operand.completion, name: operand.name) }
            if !values.isEmpty { result[operand.name] = values }
            left = left.dropFirst(wanted)
        }
        guard left.isEmpty else {
            throw error(.extraOperands(given: arguments.count, most: command.operands.count))
        }
        return result
    }

    private func error(_ problem: UsageError.Problem, suggestion: String? = nil) -> UsageError {
        UsageError(problem, suggestion: suggestion, command: table.fullName(of: path))
    }
}
