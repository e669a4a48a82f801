import MildamFiles
import MildamTerminal
import MildamVault

let vaultRestore = ActionCommand(
    ["vault", "restore"],
    summary: "Give an entry the content of a former version.",
    discussion: """
        What the entry has becomes a former version: nothing is lost, and the same command takes it back. With \
        --output, the former version is written to a file, and the vault stays as it is.
        """,
    operands: [vaultEntryOperand],
    options: [
        versionNumberOption,
        OptionSpec(
            "output",
            short: "o",
            value: .init("FILE", completion: .file),
            help: "Write the former version to this file instead; - for standard output."
        ),
        forceOption, vaultOption,
    ],
    examples: [
        .init("mildam vault restore letter.txt", "As it was before it changed the last time."),
        .init("mildam vault restore letter.txt -n 2 -o older.txt", "The one before that, as a file."),
    ],
    exitNotes: [
        .init(.notFound, "nothing is called so, or it has no such version"),
        .init(.damaged, "its file is missing, or not what was added"),
        .init(.refused, "something is where a file was to be"),
    ]
) { action in
    let number = try action.invocation.integer("number", in: 1...1_000_000) ?? 1
    let isRead = action.invocation.value("output") != nil
    guard isRead || !action.invocation.flag("force") else {
        throw action.wrong("--force", "left out: it is for --output")
    }
    let vault = try await action.openVault(changing: !isRead)
    let entry = try action.selectEntry(in: vault)
    guard isRead else {
        let restored = try vault.restore(entry.name, version: number)
        return try action.report.answer(["restored": restored.name.description]) {
            "restored \(shown(restored.name.description)), \(ByteCount.text(Int64(restored.size))); "
                + "what it was is version 1 now"
        }
    }
    let version = try vault.version(number, of: entry.name)
    let target = try FileTarget(action.invocation, modified: version.modified)
    try action.following("reading \(entry.name)", to: target) {
        try vault.get(entry.name, version: number, to: target, monitor: $0)
    }
    guard let path = action.outputPath else { return .done }
    return try action.report.answer(["output": path]) { "wrote \(shown(path))" }
}
