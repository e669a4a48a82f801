import MildamSystem

extension CommandTable {
    /// The completion script for zsh: a file `_PROGRAM` in a folder of `fpath`; it may be sourced as well.
    public var zshCompletion: String {
        """
        #compdef \(program)
        # Completion of \(program) for zsh; made from the program's command table.

        # Offers the words that may follow the command words typed as arguments.
        \(zshWords)() {
            local -a typed offered
            typed=(${words[2,CURRENT-1]:#-*})
            case "${(j: :)typed}" in
        \(zshPlaces.joined(separator: "\n"))
            esac
            compadd "$@" -- $offered
        }

        # Offers names of a kind, as the program knows them.
        \(functionName)__names() {
            local -a names
            names=(${(f)"$(command \(program) complete $1 -- "${\(functionName)_line[@]}" 2>/dev/null)"})
            compadd -a names
        }

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
        let options = options(at: path).flatMap(zshOption)
        if let command = command(at: path) {
            let arguments = (options + command.operands.map(zshOperand)).map { "        \($0)" }
            return """
                \(name)() {
                    _arguments -s -S \\
                \(arguments.joined(separator: " \\\n"))
                }

                """
        }
        let words = words(after: path)
        let descriptions = words.map { word in
            "            \(ShellWord.quoted("\(word):\(Self.plain(summary(of: path + [word]), escaping: ":"))"))"
        }
        let choices = words.map { "            \($0)) \(zshName(path + [$0])) ;;" }
        let arguments = (options + ["'1: :->command'", "'*:: :->rest'"]).map { "        \($0)" }
        // The groups' functions see the words behind theirs alone.
        let kept = path.isEmpty ? "\n    local -a \(functionName)_line=(\"${words[@]:1}\")" : ""
        return """
            \(name)() {\(kept)
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

    /// No command's: its words begin with a letter.
    private var zshWords: String { functionName + "___words" }

    private var zshPlaces: [String] {
        paths.filter { !words(after: $0).isEmpty }.map { path in
            let words = words(after: path).joined(separator: " ")
            return "        \(ShellWord.quoted(path.joined(separator: " ")))) offered=(\(words)) ;;"
        }
    }

    private func zshName(_ path: [String]) -> String {
        // Two signs: the function of `mildam relay` is another than that of the program mildam-relay.
        ([functionName] + path).joined(separator: "__")
    }

    /// One specification for each spelling: `'(-f --file)--file=[help]:FILE:_files'`.
    private func zshOption(_ option: OptionSpec) -> [String] {
        let exclusive = option.isRepeatable ? "*" : "(\(option.spellings.joined(separator: " ")))"
        let help = Self.plain(option.explanation, escaping: "[]:")
        return option.spellings.map { spelling in
            guard let value = option.value else { return ShellWord.quoted("\(exclusive)\(spelling)[\(help)]") }
            let sign = spelling.hasPrefix("--") ? "=" : "+"
            let action = self.action(value.completion)
            return ShellWord.quoted("\(exclusive)\(spelling)\(sign)[\(help)]:\(value.placeholder):\(action)")
        }
    }

    private func zshOperand(_ operand: Operand) -> String {
        let message = Self.plain("\(operand.name): \(operand.explanation)", escaping: ":")
        let action = self.action(operand.completion)
        return switch operand.arity {
        case .one: ShellWord.quoted(":\(message):\(action)")
        case .optional: ShellWord.quoted("::\(message):\(action)")
        case .many, .any: ShellWord.quoted("*:\(message):\(action)")
        }
    }

    private func action(_ completion: Completion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .choices(let words): "(\(words.joined(separator: " ")))"
        case .commands: zshWords
        case .names(let kind): "{\(functionName)__names \(kind)}"
        }
    }

    /// A text in one line, with a backslash before each of `special` and before backslashes.
    private static func plain(_ text: String, escaping special: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "\\" || special.contains(character) { result.append("\\") }
            result.append(character == "\n" ? " " : character)
        }
    }
}
