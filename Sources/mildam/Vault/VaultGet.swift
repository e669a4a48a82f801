import MildamFiles
import MildamTerminal
import MildamVault

let vaultGet = ActionCommand(
    ["vault", "get"],
    summary: "Take out a copy of an entry.",
    operands: [vaultNameOperand],
    options: [
        OptionSpec(
            "output",
            short: "o",
            value: .init("FILE", completion: .file),
            help: "Where to write; standard output without it. Nothing is replaced without --force."
        ),
        forceOption, vaultOption,
    ],
    examples: [.init("mildam vault get letter.txt -o letter.txt", "It appears when every part was found right.")],
    exitNotes: [
        .init(.notFound, "nothing is called so"), .init(.damaged, "its file is missing, or not what was added"),
    ]
) { action in
    let target = try FileTarget(action.invocation)
    let name = try VaultName(action.invocation.operand("NAME"))
    let vault = try await action.openVault(changing: false)
    try action.following("reading \(name)", to: target) { try vault.get(name, to: target, monitor: $0) }
    guard let path = action.outputPath else { return .done }
    return try action.report.answer(["output": path]) { "wrote \(shown(path))" }
}
