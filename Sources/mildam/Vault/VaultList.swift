import MildamTerminal
import MildamVault

let vaultList = ActionCommand(
    ["vault", "list"],
    summary: "List what is in the vault, and how much it is together.",
    operands: [
        Operand(
            "FOLDER",
            help: "Only what is in this folder of it.",
            arity: .optional,
            completion: KnownNames.vault.completion
        )
    ],
    options: [
        OptionSpec("folders", help: "Each folder in one line, with the sum of what is in it and its newest time.")
    ] + vaultOrderOptions + [vaultOption],
    examples: [
        .init("mildam vault list photos --json", "For a program."),
        .init("mildam vault list --folders --sort size", "What takes most of the room."),
    ],
    exitNotes: [.init(.notFound, "there is no such folder")]
) { action in
    let vault = try await action.openVault(changing: false)
    let folder = try action.invocation.optionalOperand("FOLDER").map(VaultName.folder)
    let entries = try folder.map { try action.entries(in: $0, of: vault) } ?? vault.entries()
    let sum = EntrySum(entries)
    guard action.invocation.flag("folders") else { return try action.list(entries, sum: sum) }
    let level = VaultFolder.level(of: entries, in: folder)
    return try action.list(level.entries, level.folders, sum: sum)
}
