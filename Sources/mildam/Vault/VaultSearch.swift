import MildamTerminal

let vaultSearch = ActionCommand(
    ["vault", "search"],
    summary: "Find entries by name, type and tags.",
    operands: [Operand("WORD", help: "All of them have to be there, in any case of letters.", arity: .many)],
    options: vaultOrderOptions + [vaultOption],
    examples: [.init("mildam vault search image 2024", "Pictures with 2024 in their names or tags.")]
) { action in
    let entries = try await action.openVault(changing: false).search(action.invocation.operands("WORD"))
    return try action.list(entries, sum: EntrySum(entries))
}
