import Glibc
import MildamFiles
import MildamSystem
import MildamTerminal
import MildamVault

extension Action {
    func exportVault() async throws -> ExitStatus {
        let table = invocation.value("table")
        guard table == nil || !invocation.flag("force") else {
            throw UsageError(
                .invalidValue(name: "--force", expected: "left out: a store takes no other's place"),
                command: invocation.fullName
            )
        }
        let vault = try await openVault(changing: table != nil)
        let name = try invocation.optionalOperand("NAME").map(folderName)
        let entries = try vault.entries(in: name)
        guard !entries.isEmpty || name == nil else { throw VaultError.noEntry(name?.description ?? "") }
        let folder = invocation.operand("FOLDER")
        var failures: [(entry: VaultEntry, error: VaultError)] = []
        var exported: [String] = []
        try following("exporting to \(folder)") { monitor in
            if let table {
                try vault.writeStore(entries, to: folder, table: table, monitor: monitor) {
                    exported.append($0.name.description)
                }
            } else {
                try vault.export(entries, to: folder, replacing: invocation.flag("force"), monitor: monitor) {
                    if let error = $1 { failures.append(($0, error)) } else { exported.append($0.name.description) }
                }
            }
        }
        let answer = ExportAnswer(
            exported: exported,
            failed: failures.map { .init(name: $0.entry.name.description, error: exportText($0.error)) }
        )
        if !report.isJSON {
            for failure in answer.failed { console.complain(shown("mildam: \(failure.name): \(failure.error)")) }
        }
        try report.answer(answer) {
            "exported \(exported.count) to \(shown(folder))" + (failures.isEmpty ? "" : ", \(failures.count) not")
        }
        // What is damaged weighs more than what is there already.
        if let worse = failures.first(where: { $0.error.systemError?.code != EEXIST }) {
            return ExitStatus(worse.error)
        }
        return failures.isEmpty ? .done : .refused
    }

    private func exportText(_ error: VaultError) -> String {
        switch error.systemError?.code {
        case EEXIST: "something is there already: choose another folder, or --force to replace it"
        case ENOTDIR, EISDIR: "another file of this name stands in the way"
        default: "\(error)"
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
}
