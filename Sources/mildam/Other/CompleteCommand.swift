import MildamTerminal

/// Prints names for a shell's completions. Whatever is the matter, this is no place to tell of it: then there are none.
let completeCommand = ActionCommand(
    ["complete"],
    summary: "Print names for a shell's completions, one in a line.",
    operands: [
        Operand("KIND", help: "Names of what.", completion: .choices(KnownNames.allCases.map(\.rawValue))),
        Operand("WORD", help: "The command line behind the program's name, up to the cursor.", arity: .any),
    ],
    options: [vaultOption],
    examples: [.init("mildam complete room -- room show ''", "The rooms of this profile.")]
) { action in
    let kind = action.invocation.operand("KIND")
    let line = TypedLine(action.invocation.operands("WORD"))
    guard let names = KnownNames(rawValue: kind),
        let chosen = try? commands.chosen(by: ["complete"] + line.options + [kind], on: action.console)
    else { return .done }
    let found = (try? await names.all(Action(chosen.invocation, action.console), behind: line.last)) ?? []
    let safe = found.filter(KnownNames.isSafe).prefix(KnownNames.most)
    if !safe.isEmpty { try? action.console.print(safe.joined(separator: "\n")) }
    return .done
}

/// What a command line that is being typed says of where names are.
struct TypedLine {
    private static let spellings = ["--profile": "--profile", "-p": "--profile", "--vault": "--vault"]

    /// "--profile=kim": the options, as this program takes them.
    private(set) var options: [String] = []
    /// The word that is being typed, as it will be.
    let last: String

    /// - Parameter words: as the shell has them, with their quotes; bash makes "=" a word of its own.
    init(_ words: [String]) {
        last = Self.plain(words.last ?? "")
        var rest = words.dropLast()
        while let word = rest.popFirst(), word != "--" {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.spellings[String(parts[0])] else { continue }
            var given = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            if given == "=" { given = rest.popFirst() }
            guard let value = given else { return }
            options.append("\(name)=\(Self.plain(value))")
        }
    }

    /// The word without the quotes and backslashes that it has for a shell, and with its owner's home folder.
    private static func plain(_ word: String) -> String {
        let plain = word.filter { !"'\"\\".contains($0) }
        guard plain.hasPrefix("~/"), let home = Console.variable("HOME") else { return plain }
        return home + plain.dropFirst()
    }
}
