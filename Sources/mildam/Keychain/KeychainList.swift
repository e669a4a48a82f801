import MildamKeychain
import MildamTerminal

let keychainList = ActionCommand(
    ["keychain", "list"],
    summary: "List what is kept, without the secrets.",
    discussion: """
        With what kind of item each is: also of what was imported, keys, and what this program keeps for itself. A login \
        and the fields that are kept with it are one line, and so are the fields of a card.
        """,
    operands: [
        Operand("NAME", help: "Only what has this in its name, its account or its label.", arity: .optional)
    ],
    options: [
        OptionSpec(
            "kind",
            value: .init("KIND", completion: .choices(ItemKind.allCases.map(\.rawValue))),
            help: "Only items of a kind; each note and field alone, where that is the kind."
        ),
        serverOption, itemGroupOption,
    ] + KeychainOpening.all,
    examples: [
        .init("mildam keychain list git", "Whatever has git in its name."),
        .init("mildam keychain list --json", "For a program."),
    ]
) { action in
    let items = try ItemChooser(try await action.openKeychain()).all(group: action.invocation.value("group"))
    let kind = action.invocation.value("kind").flatMap(ItemKind.init)
    let part = action.invocation.optionalOperand("NAME")?.lowercased()
    let isEachAlone = kind == .note || kind == .field
    let lines = isEachAlone ? items.map { ItemLine($0) } : ItemRecord.all(of: items).map { ItemLine($0) }
    let found = lines.filter { line in
        guard kind == nil || kind == line.kind, !action.invocation.flag("server") || line.kind == .login else {
            return false
        }
        guard let part else { return true }
        return [line.service, line.account, line.label ?? ""].contains { $0.lowercased().contains(part) }
    }
    return try action.report.answer(["items": found]) {
        found.isEmpty ? "nothing" : found.map(\.text).joined(separator: "\n")
    }
}
