import Glibc
import MildamCrypto
import MildamSystem
import MildamTerminal
import MildamVault

let vaultImport = ActionCommand(
    ["vault", "import"],
    summary: "Add the files of a store: AES-256-CBC, and a table of salts and IVs.",
    discussion: """
        The table is SQLite, CSV or JSON, and has the columns id, file_path, salt and iv; the keys are derived from one \
        password by PBKDF2-HMAC-SHA256, 10,000 rounds. What became of each row is reported.

        The options of the passphrase are for the keychain. Where it does not have to be opened, and no option of the \
        password is given, they are taken for the store's password.

        Nothing in such a store is authenticated: that a file opened does not say that it is what was written.
        """,
    operands: [Operand("TABLE", help: "The table.", completion: .file)],
    options: [
        OptionSpec(
            "folder",
            value: .init("FOLDER", completion: .folder),
            help: "Where the files are; beside the table unless given."
        ),
        OptionSpec(
            "as",
            value: .init("NAME"),
            help: "The folder of the vault that they go into; \"imported\" unless given."
        ),
        vaultOption,
    ] + SecretOption.storePassword.options,
    examples: [.init("mildam vault import app/files.db --folder app/Documents", "Asks for the password.")],
    exitNotes: [.init(.failed, "rows were not added for several reasons; each is named")]
) { action in
    let table = action.invocation.operand("TABLE")
    let folder = action.invocation.value("folder") ?? Folder.parent(of: table)
    let name = try VaultName(action.invocation.value("as") ?? "imported")
    let vault = try await action.openVault(changing: true)
    // Before anybody types a password for it.
    guard WholeFile.exists(table) else { throw SystemError("open", table, code: ENOENT) }
    let password = SymmetricKey(try action.storePassword())
    let rows = try action.following("importing \(table)") {
        try vault.importStore(table: table, folder: folder, password: password, into: name, monitor: $0)
    }
    let lines = rows.map(RowAnswer.init)
    let failures = lines.filter { $0.error != nil }
    for line in failures { action.report.note("row \(line.row): \(line.error ?? "")") }
    action.report.note("authenticated: false: a store cannot tell whether its content is what was written")
    try action.report.answer(ImportAnswer(authenticated: false, rows: lines)) {
        "added \(lines.count - failures.count)" + (failures.isEmpty ? "" : ", \(failures.count) not")
    }
    return .of(
        rows.compactMap { row -> ExitStatus? in
            guard case .failure(let error) = row.result else { return nil }
            return error.exitStatus
        }
    )
}

extension Action {
    /// The store's password. Scripts of earlier versions give it by the options that now are the keychain's.
    fileprivate func storePassword() throws -> SecretBytes {
        let question = "Password of the store"
        guard !invocation.isWritten(.storePassword), invocation.isWritten(.passphrase), !Self.hasNeededKeychainSecret
        else { return try secret(.storePassword, question) }
        let option = invocation.written(.passphrase)
        report.note("no keychain had to be opened: \(option) is taken for the store's password; --password-fd names it")
        return try secret(.passphrase, question)
    }
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
