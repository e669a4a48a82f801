import MildamTerminal
import MildamVault

let vaultTag = ActionCommand(
    ["vault", "tag"],
    summary: "Tag an entry or everything in a folder, or take tags away.",
    operands: [vaultNameOperand],
    options: [
        OptionSpec("add", value: .init("TAG"), help: "A tag to add.", isRepeatable: true),
        OptionSpec("remove", value: .init("TAG"), help: "A tag to take away.", isRepeatable: true),
        vaultOption,
    ],
    examples: [.init("mildam vault tag letter.txt --add house --remove inbox", "Tags can be searched for.")]
) { action in
    let vault = try await action.openVault(changing: true)
    let selection = try action.select(action.invocation.operand("NAME"), in: vault)
    try vault.tag(
        selection.entries,
        adding: action.invocation.values("add"),
        removing: action.invocation.values("remove")
    )
    switch selection {
    case .entry(let entry):
        let tags = try vault.entry(named: entry.name).tags
        return try action.report.answer(["tags": tags]) {
            tags.isEmpty ? "no tags" : shown(tags.joined(separator: ", "))
        }
    case .folder(_, let entries):
        return try action.report.answer(["tagged": entries.map(\.name.description)]) {
            "changed the tags of \(entries.count)"
        }
    }
}
