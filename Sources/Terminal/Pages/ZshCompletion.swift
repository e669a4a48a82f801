extension CommandTable {
    /// The completion script for zsh: a file `_PROGRAM` in a folder of `fpath`; it may be sourced as well.
    public var zshCompletion: String {
        """
        #compdef \(program)
        # Completion of \(program) for zsh; made from the program's command table.

        \(paths.reversed().map(zshFunction).joined(separator: "\n"))
        if [ "$funcstack[1]" = "\(functionName)" ]; then
            \(functionName) "$@"
        else
            compdef \(functionName) \(program)
        fi

        """
    }

    private func zshFunction(_ path: [String]) -> String {
        let name = zshName(path)
        let options = options(at: path).flatMap(Self.zshOption)
        if let command = command(at: path) {
            let arguments = (options + command.operands.map(Self.zshOperand)).map { "        \($0)" }
            return """
                \(name)() {
                    _arguments -s -S \\
                \(arguments.joined(separator: " \\\n"))
                }

                """
        }
        let words = words(after: path)
        let descriptions = words.map { word in
            "            \(Self.quoted("\(word):\(Self.plain(summary(of: path + [word]), escaping: ":"))"))"
        }
        let choices = words.map { "            \($0)) \(zshName(path + [$0])) ;;" }
        let arguments = (options + ["'1: :->command'", "'*:: :->rest'"]).map { "        \($0)" }
        return """
            \(name)() {
                local context state state_descr line
                typeset -A opt_args
                _arguments -C -s -S \\
            \(arguments.joined(separator: " \\\n"))
                case $state in
                command)
                    local -a commands=(
            \(descriptions.joined(separator: "\n"))
                    )
                    _describe -t commands command commands
                    ;;
                rest)
                    case $words[1] in
            \(choices.joined(separator: "\n"))
                    esac
                    ;;
                esac
            }

            """
    }

    private func zshName(_ path: [String]) -> String {
        // Two signs: the function of `mildam relay` is another than that of the program mildam-relay.
        ([functionName] + path).joined(separator: "__")
    }

    /// One specification for each spelling: `'(-f --file)--file=[help]:FILE:_files'`.
    private static func zshOption(_ option: OptionSpec) -> [String] {
        let exclusive = option.isRepeatable ? "*" : "(\(option.spellings.joined(separator: " ")))"
        let help = plain(option.explanation, escaping: "[]:")
        return option.spellings.map { spelling in
            guard let value = option.value else { return quoted("\(exclusive)\(spelling)[\(help)]") }
            let sign = spelling.hasPrefix("--") ? "=" : "+"
            return quoted("\(exclusive)\(spelling)\(sign)[\(help)]:\(value.placeholder):\(action(value.completion))")
        }
    }

    private static func zshOperand(_ operand: Operand) -> String {
        let message = plain("\(operand.name): \(operand.explanation)", escaping: ":")
        return switch operand.arity {
        case .one: quoted(":\(message):\(action(operand.completion))")
        case .optional: quoted("::\(message):\(action(operand.completion))")
        case .many, .any: quoted("*:\(message):\(action(operand.completion))")
        }
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .choices(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// A text in one line, with a backslash before each of `special` and before backslashes.
    private static func plain(_ text: String, escaping special: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "\\" || special.contains(character) { result.append("\\") }
            result.append(character == "\n" ? " " : character)
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
    }
}
