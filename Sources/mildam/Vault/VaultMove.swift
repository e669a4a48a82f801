import MildamTerminal
import MildamVault

let vaultMove = ActionCommand(
    ["vault", "move"],
    summary: "Call an entry something else.",
    operands: [vaultNameOperand, Operand("OTHER", help: "What it will be called.")],
    options: [vaultOption],
    examples: [.init("mildam vault move letter.txt letters/2024.txt", "The content stays where it is.")]
) { action in
    let (name, other) = (
        try VaultName(action.invocation.operand("NAME")), try VaultName(action.invocation.operand("OTHER"))
    )
    try await action.openVault(changing: true).move(name, to: other)
    return try action.report.answer(["name": other.description]) { "now called \(shown(other.description))" }
}
