import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal
import MildamVault

extension Action {
    func importStore() async throws -> ExitStatus {
        let table = invocation.operand("TABLE")
        let folder = invocation.value("folder") ?? Folder.parent(of: table)
        let name = try VaultName(invocation.value("as") ?? "imported")
        let vault = try await openVault(changing: true)
        // Before anybody types a password for it.
        guard WholeFile.exists(table) else { throw SystemError("open", table, code: ENOENT) }
        let password = SymmetricKey(try passphrase("Password of the store", confirming: false))
        let rows = try following("importing \(table)") {
            try vault.importStore(table: table, folder: folder, password: password, into: name, monitor: $0)
        }
        let lines = rows.map(RowAnswer.init)
        let failures = lines.filter { $0.error != nil }
        if !report.isJSON {
            for line in failures { console.complain(shown("mildam: row \(line.row): \(line.error ?? "")")) }
            console.complain(
                "mildam: authenticated: false: a store cannot tell whether its content is what was written"
            )
        }
        try report.answer(ImportAnswer(authenticated: false, rows: lines)) {
            "added \(lines.count - failures.count)" + (failures.isEmpty ? "" : ", \(failures.count) not")
        }
        return failures.isEmpty ? .done : .failed
    }

    func printStorePassword() async throws {
        let password = SecretBytes(copying: try await openVault(changing: true).storePassword())
        if report.isJSON {
            let text = unsafe password.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            return try report.answer(["password": text]) { "" }
        }
        try console.write(password.span)
        try console.print("")
    }

    private struct ImportAnswer: Encodable {
        var authenticated: Bool
        var rows: [RowAnswer]
    }

    private struct RowAnswer: Encodable {
        var row: Int
        var id: String?
        var name: String?
        var error: String?

        init(_ row: StoreImport) {
            self.row = row.row
            id = row.id
            switch row.result {
            case .success(let name): self.name = name.description
            case .failure(.storeRow(_, let reason)): error = reason
            case .failure(let failure): error = "\(failure)"
            }
        }
    }
}
