import MildamFiles
import MildamTerminal
import MildamVault

let vaultGet = ActionCommand(
    ["vault", "get"],
    summary: "Take out a copy of an entry or a folder.",
    discussion: "A file that is written has the time that the content had when it was added.",
    operands: [vaultNameOperand],
    options: [
        OptionSpec(
            "output",
            short: "o",
            value: .init("FILE", completion: .file),
            help: "Where to write: a file, or the folder that a folder's files go into; standard output without it. "
                + "Nothing is replaced without --force."
        ),
        forceOption, vaultOption,
    ],
    examples: [
        .init("mildam vault get letter.txt -o letter.txt", "It appears when every part was found right."),
        .init("mildam vault get photos -o photos", "Everything in the vault's folder photos."),
    ],
    exitNotes: [
        .init(.notFound, "nothing is called so"), .init(.damaged, "a file is missing, or not what was added"),
        .init(.refused, "something is where a file was to be"),
    ]
) { action in
    let vault = try await action.openVault(changing: false)
    switch try action.select(action.invocation.operand("NAME"), in: vault) {
    case .entry(let entry):
        let target = try FileTarget(action.invocation, modified: entry.modified)
        try action.following("reading \(entry.name)", to: target) { try vault.get(entry.name, to: target, monitor: $0) }
        guard let path = action.outputPath else { return .done }
        return try action.report.answer(["output": path]) { "wrote \(shown(path))" }
    case .folder(let name, let entries):
        guard let folder = action.invocation.value("output"), folder != "-" else {
            throw action.misuse(.missingOption("--output", placeholder: "FOLDER"))
        }
        return try action.export(entries, of: vault, to: folder, without: name)
    }
}
