import MildamTerminal
import MildamVault

let vaultMove = ActionCommand(
    ["vault", "move"],
    summary: "Call an entry or a folder something else.",
    discussion: """
        Where OTHER ends with a slash, or is a folder of the vault, what is moved goes into it. All of a folder is \
        moved, or nothing.
        """,
    operands: [vaultNameOperand, Operand("OTHER", help: "What it will be called, or the folder that it goes into.")],
    options: [vaultOption],
    examples: [
        .init("mildam vault move letter.txt letters/2024.txt", "The content stays where it is."),
        .init("mildam vault move photos archive/", "What was photos/one.png is archive/photos/one.png."),
    ],
    exitNotes: [.init(.notFound, "nothing is called so"), .init(.refused, "something else is called so already")]
) { action in
    let vault = try await action.openVault(changing: true)
    let selection = try action.select(action.invocation.operand("NAME"), in: vault)
    let name = try vault.move(selection, to: action.invocation.operand("OTHER"))
    return try action.report.answer(["name": name.description]) { "now called \(shown(name.description))" }
}
