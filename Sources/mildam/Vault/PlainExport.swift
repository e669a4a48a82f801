import Glibc
import MildamTerminal
import MildamVault

/// What became of entries that were to be written as plain files.
struct PlainExport {
    private(set) var exported: [String] = []
    private var failures: [(name: String, error: VaultError)] = []

    /// Takes note of an entry that was written, or not.
    mutating func note(_ entry: VaultEntry, _ error: VaultError? = nil) {
        let name = entry.name.description
        if let error { failures.append((name, error)) } else { exported.append(name) }
    }

    /// Tells it.
    func answer(_ folder: String, _ report: Report) throws -> ExitStatus {
        let failed = failures.map { Answer.Failure(name: $0.name, error: Self.text(of: $0.error)) }
        for failure in failed { report.note("\(failure.name): \(failure.error)") }
        try report.answer(Answer(exported: exported, failed: failed)) {
            "exported \(exported.count) to \(shown(folder))" + (failed.isEmpty ? "" : ", \(failed.count) not")
        }
        return .of(failures.map { $0.error.exitStatus })
    }

    private static func text(of error: VaultError) -> String {
        switch error.systemError?.code {
        case EEXIST: "something is there already: choose another folder, or --force to replace it"
        case ENOTDIR, EISDIR: "another file of this name stands in the way"
        default: "\(error)"
        }
    }

    private struct Answer: Encodable {
        struct Failure: Encodable {
            var name: String
            var error: String
        }
        var exported: [String]
        var failed: [Failure]
    }
}

extension Action {
    /// Writes entries as plain files into a folder, and tells what became of each.
    ///
    /// - Parameter top: a folder of the vault whose name is left out of theirs.
    func export(
        _ entries: [VaultEntry],
        of vault: Vault,
        to folder: String,
        without top: VaultName? = nil
    ) throws -> ExitStatus {
        var export = PlainExport()
        let replacing = invocation.flag("force")
        try following("exporting to \(folder)") { monitor in
            try vault.export(entries, to: folder, without: top, replacing: replacing, monitor: monitor) {
                export.note($0, $1)
            }
        }
        return try export.answer(folder, report)
    }
}
