extension CommandTable {
    /// The completion script for bash 4 and later; it needs no other package.
    ///
    /// It is sourced, or lies under the program's name in `/usr/share/bash-completion/completions`.
    public var bashCompletion: String {
        let function = functionName
        return """
            # Completion of \(program) for bash; made from the program's command table.

            # Sets 'words', 'options' and 'operands' to what may follow the command words in $1.
            \(function)_at() {
                words='' options='' operands=''
                case $1 in
            \(paths.map(bashPlace).joined(separator: "\n"))
                esac
            }

            # Sets 'kind' to what the option $2 expects after the command words in $1; empty for a flag.
            \(function)_value() {
                kind=''
                case "$1:$2" in
            \(bashValues.joined(separator: "\n"))
                esac
            }

            # Offers names of the kind $1 that begin with $2, as the program knows them. They are quoted: nothing in them is run.
            \(function)_names() {
                local name typed=$2 quote=''
                if [[ $typed == [\\"\\']* ]]; then
                    quote=${typed:0:1}
                    typed=${typed:1}
                else
                    typed=${typed//\\\\/}
                fi
                while IFS= read -r name; do
                    [[ $name == "$typed"* ]] || continue
                    if [[ -z $quote ]]; then printf -v name %q "$name"; fi
                    COMPREPLY+=("$name")
                done < <(command \(program) complete "$1" -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$typed" 2>/dev/null)
                if [[ ${COMPREPLY[0]-} == */ ]]; then compopt -o nospace 2>/dev/null; fi
            }

            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} path='' position=0 ended='' kind='' word typed=''
                local words options operands index=1
                COMPREPLY=()
                # bash parts "--name=value" at the sign.
                local last=$COMP_CWORD
                if [[ $current == = ]]; then
                    current=''
                elif (( COMP_CWORD > 1 )) && [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
                    last=$((COMP_CWORD - 1))
                fi
                \(function)_at "$path"
                while (( index < last )); do
                    word=${COMP_WORDS[index]}
                    kind=''
                    if [[ -z $ended && $word == -- ]]; then
                        ended=yes
                    elif [[ -z $ended && $word == -?* ]]; then
                        \(function)_value "$path" "$word"
                        if [[ -n $kind ]]; then
                            index=$((index + 1))
                            if (( index < last )) && [[ ${COMP_WORDS[index]} == = ]]; then index=$((index + 1)); fi
                            if (( index < last )); then kind=''; fi
                        fi
                    elif [[ " $words " == *" $word "* ]]; then
                        path="${path:+$path }$word"
                        \(function)_at "$path"
                    else
                        position=$((position + 1))
                        typed="${typed:+$typed }$word"
                    fi
                    index=$((index + 1))
                done
                if [[ -z $kind ]]; then
                    if [[ -z $ended && $current == -* ]]; then
                        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
                        return
                    elif [[ -n $words ]]; then
                        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
                        return
                    fi
                    local kinds=($operands)
                    kind=${kinds[position]:-${kinds[-1]:-none}}
                    # Only a last operand that takes many goes on.
                    if [[ $kind == *... ]]; then
                        kind=${kind%...}
                    elif (( position >= ${#kinds[@]} )); then
                        kind=none
                    fi
                fi
                case $kind in
                    file)
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                        compopt -o filenames 2>/dev/null
                        ;;
                    folder)
                        mapfile -t COMPREPLY < <(compgen -d -- "$current")
                        compopt -o filenames 2>/dev/null
                        ;;
                    choices:*)
                        kind=${kind#choices:}
                        mapfile -t COMPREPLY < <(compgen -W "${kind//,/ }" -- "$current")
                        ;;
                    commands)
                        \(function)_at "$typed"
                        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
                        ;;
                    names:*)
                        \(function)_names "${kind#names:}" "$current"
                        ;;
                esac
                return 0
            }

            complete -F \(function) \(program)

            """
    }

    /// The program's name as part of a shell function's name.
    var functionName: String {
        "_" + String(program.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    private func bashPlace(_ path: [String]) -> String {
        let operands = command(at: path)?.operands ?? []
        let kinds = operands.map { Self.bashKind($0.completion) + ($0.arity.allowsMany ? "..." : "") }
        return """
                    '\(path.joined(separator: " "))')
                        words='\(words(after: path).joined(separator: " "))'
                        options='\(options(at: path).flatMap(\.spellings).joined(separator: " "))'
                        operands='\(kinds.joined(separator: " "))'
                        ;;
            """
    }

    private var bashValues: [String] {
        // A command's flag may have the letter of an option of every command that takes a value.
        let takers = globalOptions.filter { $0.value != nil }.compactMap(\.short)
        func cases(_ options: [OptionSpec], at place: String) -> [String] {
            options.flatMap { option in
                option.value.map { value in
                    option.spellings.map { "        \(place):\($0)) kind=\(Self.bashKind(value.completion)) ;;" }
                } ?? (option.short.map { takers.contains($0) ? ["        \(place):-\($0)) ;;"] : [] } ?? [])
            }
        }
        return commands.flatMap { cases($0.options, at: "'\($0.name)'") } + cases(globalOptions, at: "*")
    }

    private static func bashKind(_ completion: Completion) -> String {
        switch completion {
        case .none: "none"
        case .file: "file"
        case .folder: "folder"
        case .choices(let words): "choices:\(words.joined(separator: ","))"
        case .commands: "commands"
        case .names(let kind): "names:\(kind)"
        }
    }
}
