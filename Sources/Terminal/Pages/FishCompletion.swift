extension CommandTable {
    /// The completion script for fish 3: a file `PROGRAM.fish` in one of its `completions` folders.
    public var fishCompletion: String {
        let function = "_" + functionName
        let places = paths.dropFirst().map { Self.fishQuoted($0.joined(separator: " ")) }
        let rules = paths.flatMap { fishRules(at: $0, function) }
        return """
            # Completion of \(program) for fish; made from the program's command table.

            # Succeeds where exactly these command words have been typed, whatever options stand between them.
            function \(function)_at
                set -l words (commandline -opc)
                set -e words[1]
                set -l path
                while set -q words[1]
                    set -l word $words[1]
                    set -e words[1]
                    switch $word
            \(fishSkips)            case '-*'
                        case '*'
                            if contains -- "$(string join ' ' -- $path $word)" \(places.joined(separator: " "))
                                set -a path $word
                            else
                                break
                            end
                    end
                end
                test "$(string join ' ' -- $path)" = "$argv[1]"
            end

            # Prints the words that may follow the command words typed as arguments of the command that $argv[1] names.
            function \(function)_words
                set -l words (commandline -opc)
                set -l typed
                set -l isArgument
                for word in $words[2..-1]
                    if set -q isArgument[1]
                        string match -q -- '-*' $word; or set -a typed $word
                    else if test $word = $argv[1]
                        set isArgument yes
                    end
                end
                switch "$(string join ' ' -- $typed)"
            \(fishPlaces.joined(separator: "\n"))
                end
            end

            # Prints names of a kind, as the program knows them.
            function \(function)_names
                command -q \(program); or return
                set -l words (commandline -opc)
                set -e words[1]
                command \(program) complete $argv[1] -- $words (commandline -ct) 2>/dev/null
            end

            complete -c \(program) -f
            \(rules.joined(separator: "\n"))

            """
    }

    /// Skips the value behind an option that may stand before a command word.
    private var fishSkips: String {
        let spellings = globalOptions.filter { $0.value != nil }.flatMap(\.spellings)
        guard !spellings.isEmpty else { return "" }
        return "            case \(spellings.joined(separator: " "))\n                set -e words[1]\n"
    }

    private var fishPlaces: [String] {
        paths.filter { !words(after: $0).isEmpty }.map { path in
            let place = Self.fishQuoted(path.joined(separator: " "))
            return "        case \(place)\n            printf '%s\\n' \(words(after: path).joined(separator: " "))"
        }
    }

    private func fishRules(at path: [String], _ function: String) -> [String] {
        let place = path.joined(separator: " ")
        let start = "complete -c \(program) -n \(Self.fishQuoted("\(function)_at \"\(place)\""))"
        var rules = words(after: path).map { word in
            "\(start) -a \(word) -d \(Self.fishQuoted(summary(of: path + [word])))"
        }
        for option in options(at: path) {
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.value.map { " " + fishValue($0.completion) } ?? ""
            rules.append("\(start)\(short) -l \(option.long)\(value) -d \(Self.fishQuoted(option.explanation))")
        }
        for operand in command(at: path)?.operands ?? [] {
            let description = "-d \(Self.fishQuoted("\(operand.name): \(operand.explanation)"))"
            switch operand.completion {
            case .none: continue
            case .file: rules.append("\(start) -F")
            case .commands: rules.append("\(start) -x -a '(\(function)_words \(place))' \(description)")
            case .folder, .choices, .names: rules.append("\(start) \(fishValue(operand.completion)) \(description)")
            }
        }
        return rules
    }

    private func fishValue(_ completion: Completion) -> String {
        switch completion {
        case .none, .commands: "-x"
        case .file: "-r -F"
        case .folder: "-x -a '(__fish_complete_directories)'"
        case .choices(let words): "-x -a \(Self.fishQuoted(words.joined(separator: " ")))"
        case .names(let kind): "-x -a '(_\(functionName)_names \(kind))'"
        }
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : String($1) } + "'"
    }
}
