import MildamTerminal
import MildamVault

let vaultTag = ActionCommand(
    ["vault", "tag"],
    summary: "Tag an entry, or take tags away.",
    operands: [vaultNameOperand],
    options: [
        OptionSpec("add", value: .init("TAG"), help: "A tag to add.", isRepeatable: true),
        OptionSpec("remove", value: .init("TAG"), help: "A tag to take away.", isRepeatable: true),
        vaultOption,
    ],
    examples: [.init("mildam vault tag letter.txt --add house --remove inbox", "Tags can be searched for.")]
) { action in
    let name = try VaultName(action.invocation.operand("NAME"))
    let vault = try await action.openVault(changing: true)
    try vault.tag(name, adding: action.invocation.values("add"), removing: action.invocation.values("remove"))
    let tags = try vault.entry(named: name).tags
    return try action.report.answer(["tags": tags]) { tags.isEmpty ? "no tags" : shown(tags.joined(separator: ", ")) }
}
