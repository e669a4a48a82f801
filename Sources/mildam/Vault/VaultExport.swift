import MildamTerminal
import MildamVault

let vaultExport = ActionCommand(
    ["vault", "export"],
    summary: "Write entries as plain files, or as a store.",
    discussion: "A plain file has the time that the content had when it was added.",
    operands: [
        Operand("FOLDER", help: "Where to; made where it is not there.", completion: .folder),
        Operand(
            "NAME",
            help: "Only this entry, or what is in this folder of the vault.",
            arity: .optional,
            completion: KnownNames.vault.completion
        ),
    ],
    options: [
        OptionSpec(
            "table",
            value: .init("FILE", completion: .file),
            help: "Write a store for a program that reads nothing else: files in AES-256-CBC under `mildam vault "
                + "store-password`, without authentication, and this table (.csv, .json, otherwise SQLite)."
        ),
        forceOption, vaultOption,
    ],
    examples: [
        .init("mildam vault export ./plain photos", "Everything in the vault's folder photos."),
        .init("mildam vault export ./store --table store/files.db", "What `mildam vault import` takes back."),
    ],
    exitNotes: [
        .init(.failed, "files were not written for several reasons; each is named, and all others are written"),
        .init(.damaged, "a file is missing or damaged; each is named, and all others are written"),
        .init(.refused, "something is where a file was to be; all others are written"),
    ]
) { action in
    let table = action.invocation.value("table")
    guard table == nil || !action.invocation.flag("force") else {
        throw action.wrong("--force", "left out: a store takes no other's place")
    }
    let vault = try await action.openVault(changing: table != nil)
    let name = try action.invocation.optionalOperand("NAME").map(VaultName.folder)
    let entries = try name.map { try action.entries(in: $0, of: vault) } ?? vault.entries()
    let folder = action.invocation.operand("FOLDER")
    guard let path = table else { return try action.export(entries, of: vault, to: folder) }
    var export = PlainExport()
    try action.following("exporting to \(folder)") { monitor in
        try vault.writeStore(entries, to: folder, table: path, monitor: monitor) { export.note($0) }
    }
    return try export.answer(folder, action.report)
}
