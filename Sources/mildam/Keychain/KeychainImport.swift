import MildamFiles
import MildamKeychain
import MildamProfile
import MildamSystem
import MildamTerminal

let keychainImport = ActionCommand(
    ["keychain", "import"],
    summary: "Add what a file or another keyring holds.",
    discussion: """
        What a file is, is told by its content: a bundle of `keychain export`, comma-separated values of a browser or \
        password manager, Bitwarden's JSON, KeePass's XML. The desktop's keyring has no FILE: --format secret-service. \
        What lies in KeePass's recycle bin is left out and counted: take out what is to be kept, and export again.

        Each item is added by itself, and is on the disk then. What is there already is kept and named. An import that was \
        interrupted is completed by importing again. Items of a bundle go to the access groups they came from; so the \
        keychain is opened as by --no-agent. One that names a group of mildam's own, such as that of the profile's key, is \
        refused. Delete a file of plain secrets afterwards.

        With --replace, too, a token for one-time codes that counts keeps the higher counter.
        """,
    operands: [Operand("FILE", help: "The file; - for standard input.", arity: .optional, completion: .file)],
    options: [
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices(TransferFormat.allCases.map(\.rawValue))),
            help: "What it is: \(TransferFormat.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        OptionSpec("replace", help: "Give what is there already the secrets and attributes of the file's."),
        OptionSpec("dry-run", help: "Only say what would be done."),
        OptionSpec(
            "identity",
            short: "i",
            value: .init("FILE", completion: .file),
            help: "Open a bundle for recipients with the keys of this file.",
            isRepeatable: true
        ),
    ] + SecretOption.exportPassword.options + KeychainOpening.all,
    examples: [
        .init("mildam keychain import --dry-run passwords.csv", "What would come of it."),
        .init("mildam keychain import --format secret-service", "From the desktop's keyring."),
    ],
    exitNotes: [
        .init(.failed, "an item was refused; each is named"), .init(.wrongSecret, "the password is wrong"),
        .init(.damaged, "the file is damaged, or of no known format"),
    ]
) { try await $0.importItems() }

extension Action {
    fileprivate func importItems() async throws -> ExitStatus {
        let named = invocation.value("format").flatMap(TransferFormat.init)
        let mode: ImportMode = invocation.flag("dry-run") ? .trial : .real
        let duplicates: DuplicateRule = invocation.flag("replace") ? .replace : .skip
        if named == .secretService {
            guard invocation.optionalOperand("FILE") == nil else {
                throw wrong("FILE", "left out: the desktop's keyring is no file")
            }
            return try tell(try await add(try KeyringProgram.read(), mode, duplicates), .secretService, mode)
        }
        let (file, label) = try importedFile()
        guard let format = named ?? file.withSpan({ TransferFormat.detect($0) }) else {
            let reason = "what it is cannot be told from its content; name it with --format"
            throw InputError(label: label, error: TransferError.notThisFormat(reason: reason))
        }
        if named == nil { console.complain(shown("mildam: \(label) is \(format.title), by its content")) }
        let report: ImportReport
        if format == .bundle {
            let identities = try InputError.naming(label) { try bundleIdentities(of: file) }
            let keychain = try await openFile()
            report = try InputError.naming(label) {
                try file.withSpan { (file) throws(TransferError) in
                    try KeychainBundle.add(
                        file,
                        to: keychain,
                        identities: identities,
                        mode: mode,
                        duplicates: duplicates,
                        joining: OneTimeCodeStore.joining
                    )
                }
            }
        } else {
            report = try await add(try logins(in: file, label, format), mode, duplicates)
        }
        return try tell(report, format, mode)
    }

    private func importedFile() throws -> (SecretValue, label: String) {
        guard let path = invocation.optionalOperand("FILE") else {
            throw misuse(.missingOperand("FILE"))
        }
        guard path == "-" else {
            return (try InputError.naming(path) { SecretValue(try TransferFile.read(path)) }, path)
        }
        try claimStandardInput()
        return (SecretValue(try TransferFile.read("/dev/stdin")), "standard input")
    }

    fileprivate func logins(in file: SecretValue, _ label: String, _ format: TransferFormat) throws -> ImportedLogins {
        guard invocation.values("identity").isEmpty else {
            throw wrong("--identity", "left out: only bundles have keys")
        }
        return try InputError.naming(label) {
            do {
                return try file.withSpan { (text) throws(TransferError) in try format.logins(in: text, password: nil) }
            } catch TransferError.needsPassword {
                let password = SecretValue(try secret(.exportPassword, "Password of the export"))
                return try file.withSpan { (text) throws(TransferError) in
                    try format.logins(in: text, password: password)
                }
            }
        }
    }

    /// What opens a bundle: a passphrase if it was made with one, otherwise the keys of `--identity`.
    private func bundleIdentities(of file: SecretValue) throws -> [any AgeIdentity] {
        let isUnderPassphrase = try file.withSpan { (file) throws(TransferError) in
            try KeychainBundle.isUnderPassphrase(file)
        }
        let paths = invocation.values("identity")
        if isUnderPassphrase {
            guard paths.isEmpty else { throw wrong("--identity", "left out: the bundle is under a passphrase") }
            return [
                try AgeScryptIdentity(passphrase: try secret(.exportPassword, "Passphrase of the bundle"))
            ]
        }
        guard !paths.isEmpty else {
            throw misuse(.missingOption("--identity", placeholder: "FILE"))
        }
        let interaction = pluginInteraction
        let questions = AgeKeyQuestions { file in try secret(.exportPassword, "Passphrase of \(file)") }
        return try paths.flatMap { path in
            try KeyFileError.naming(path) { () throws(AgeKeyError) in
                try AgeKeyFile.identities(at: path, interaction: interaction, questions: questions)
            }
        }
    }

    private func add(
        _ logins: ImportedLogins,
        _ mode: ImportMode,
        _ duplicates: DuplicateRule
    ) async throws -> ImportReport {
        try await openKeychain().importLogins(
            logins,
            mode: mode,
            duplicates: duplicates,
            oneTimeCode: OneTimeCodeStore.item,
            joining: OneTimeCodeStore.joining
        )
    }

    private func tell(_ report: ImportReport, _ format: TransferFormat, _ mode: ImportMode) throws -> ExitStatus {
        for row in report.rows {
            if case .refused(let reason) = row.outcome {
                self.report.note("row \(row.position)\(row.place): \(reason)")
            }
        }
        try self.report.answer(ImportAnswer(report, format, mode)) { text(of: report, mode) }
        if let error = report.stopped {
            self.report.note("it stopped before its end: \(error)")
            return ExitStatus(error)
        }
        return .of(
            report.rows.compactMap { row -> ExitStatus? in
                guard case .refused(let reason) = row.outcome else { return nil }
                return reason.exitStatus
            }
        )
    }

    private func text(of report: ImportReport, _ mode: ImportMode) -> String {
        var lines: [String] = []
        let isTrial = mode == .trial
        for row in report.rows where row.outcome == .duplicate { lines.append(shown("already there: \(row.title)")) }
        for (what, count) in report.leftOut.sorted(by: { $0.key < $1.key }) {
            lines.append(shown("left out: \(what), \(count)"))
        }
        var parts = [isTrial ? "would add \(report.added)" : "added \(report.added)"]
        if report.replaced > 0 { parts.append((isTrial ? "would replace " : "replaced ") + "\(report.replaced)") }
        if report.duplicates > 0 {
            let hint = invocation.flag("replace") ? "" : " (--replace takes the file's)"
            parts.append("kept \(report.duplicates) that were there already\(hint)")
        }
        if report.refused > 0 { parts.append("refused \(report.refused)") }
        return (lines + [parts.joined(separator: ", ")]).joined(separator: "\n")
    }
}

/// How an import went, for a program.
private struct ImportAnswer: Encodable {
    struct Row: Encodable {
        var position: Int
        var name: String
        var part: String
        var outcome: String
        var reason: String?
    }

    var format: String
    var dryRun: Bool
    var added: Int
    var replaced: Int
    var alreadyThere: Int
    var refused: Int
    var leftOut: [String: Int]
    var stopped: String?
    var rows: [Row]

    init(_ report: ImportReport, _ format: TransferFormat, _ mode: ImportMode) {
        self.format = format.rawValue
        dryRun = mode == .trial
        (added, replaced) = (report.added, report.replaced)
        (alreadyThere, refused) = (report.duplicates, report.refused)
        leftOut = report.leftOut
        stopped = report.stopped.map { "\($0)" }
        rows = report.rows.map { row in
            let (outcome, reason) = Self.words(of: row.outcome)
            return Row(position: row.position, name: row.name, part: row.part, outcome: outcome, reason: reason)
        }
    }

    private static func words(of outcome: ImportReport.Outcome) -> (String, reason: String?) {
        switch outcome {
        case .added: ("added", nil)
        case .replaced: ("replaced", nil)
        case .duplicate: ("alreadyThere", nil)
        case .refused(let reason): ("refused", "\(reason)")
        }
    }
}

extension ImportReport.Row {
    /// "Example, password".
    fileprivate var title: String { name.isEmpty ? part : "\(name), \(part)" }

    /// What stands behind the number of the row: ", Example, password".
    fileprivate var place: String {
        [name, part == "row" ? "" : part].filter { !$0.isEmpty }.map { ", " + $0 }.joined()
    }
}

extension TransferFormat {
    /// What a file of logins says.
    fileprivate func logins(in text: Span<UInt8>, password: SecretValue?) throws(TransferError) -> ImportedLogins {
        switch self {
        case .csv: try CSVImport.read(text)
        case .bitwarden: try BitwardenImport.read(text, password: password)
        case .keepass: try KeePassImport.read(text)
        case .bundle, .secretService: throw .notThisFormat(reason: "\(title) is no file of logins")
        }
    }
}
