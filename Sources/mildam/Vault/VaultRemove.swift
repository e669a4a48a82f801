import MildamTerminal
import MildamVault

let vaultRemove = ActionCommand(
    ["vault", "remove"],
    summary: "Remove entries, for good.",
    operands: [Operand("NAME", help: "What they are called.", arity: .many)],
    options: [vaultOption],
    examples: [.init("mildam vault remove letter.txt", "The entry and its file are gone.")]
) { action in
    let names = try action.invocation.operands("NAME").map { try VaultName($0) }
    try await action.openVault(changing: true).remove(names)
    return try action.report.answer(["removed": names.map(\.description)]) { "removed \(names.count)" }
}
