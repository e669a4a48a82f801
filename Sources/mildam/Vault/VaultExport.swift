import Glibc
import MildamTerminal
import MildamVault

let vaultExport = ActionCommand(
    ["vault", "export"],
    summary: "Write entries as plain files, or as a store.",
    operands: [
        Operand("FOLDER", help: "Where to; made where it is not there.", completion: .folder),
        Operand("NAME", help: "Only this entry, or what is in this folder of the vault.", arity: .optional),
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
    let entries = try vault.entries(in: name)
    guard !entries.isEmpty || name == nil else { throw VaultError.noEntry(name?.description ?? "") }
    let folder = action.invocation.operand("FOLDER")
    var failures: [(entry: VaultEntry, error: VaultError)] = []
    var exported: [String] = []
    try action.following("exporting to \(folder)") { monitor in
        if let table {
            try vault.writeStore(entries, to: folder, table: table, monitor: monitor) {
                exported.append($0.name.description)
            }
        } else {
            try vault.export(entries, to: folder, replacing: action.invocation.flag("force"), monitor: monitor) {
                if let error = $1 { failures.append(($0, error)) } else { exported.append($0.name.description) }
            }
        }
    }
    let answer = ExportAnswer(
        exported: exported,
        failed: failures.map { .init(name: $0.entry.name.description, error: action.exportText($0.error)) }
    )
    for failure in answer.failed { action.report.note("\(failure.name): \(failure.error)") }
    try action.report.answer(answer) {
        "exported \(exported.count) to \(shown(folder))" + (failures.isEmpty ? "" : ", \(failures.count) not")
    }
    return .of(failures.map(\.error.exitStatus))
}

extension Action {
    fileprivate func exportText(_ error: VaultError) -> String {
        switch error.systemError?.code {
        case EEXIST: "something is there already: choose another folder, or --force to replace it"
        case ENOTDIR, EISDIR: "another file of this name stands in the way"
        default: "\(error)"
        }
    }
}

private struct ExportAnswer: Encodable {
    struct Failure: Encodable {
        var name: String
        var error: String
    }
    var exported: [String]
    var failed: [Failure]
}
