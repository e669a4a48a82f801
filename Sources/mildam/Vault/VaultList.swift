import MildamTerminal
import MildamVault

let vaultList = ActionCommand(
    ["vault", "list"],
    summary: "List what is in the vault.",
    operands: [Operand("FOLDER", help: "Only what is in this folder of it.", arity: .optional)],
    options: [vaultOption],
    examples: [.init("mildam vault list photos --json", "For a program.")],
    exitNotes: [.init(.notFound, "there is no such folder")]
) { action in
    let folder = try action.invocation.optionalOperand("FOLDER").map(VaultName.folder)
    let entries = try await action.openVault(changing: false).entries(in: folder)
    if let folder, entries.isEmpty { throw VaultError.noEntry(folder.description) }
    return try action.show(entries)
}
