import Glibc
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal

let keychainExport = ActionCommand(
    ["keychain", "export"],
    summary: "Write every item to a file.",
    discussion: """
        A bundle is an age file: for the recipients that are named, or under a passphrase, which is asked for. It appears \
        under its name when it is whole. The items of every program are in it; so the keychain is opened as by \
        --no-agent, and its own passphrase is asked for. What may not leave this device stays, and is counted. What is \
        damaged is named, and the rest is written.

        A CSV file shows every password to whoever reads it, and has no place for keys and certificates.
        """,
    operands: [Operand("FILE", help: "The new file.", completion: .file)],
    options: [
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices(["bundle", "csv"])),
            help: "bundle, unless given; or csv, with --plain."
        ),
        OptionSpec("plain", help: "Write every password in clear: with --format csv only."),
        OptionSpec("force", help: "Take the place of a file that is there."),
    ] + SecretOption.exportPassword.options + recipientOptions + KeychainOpening.ofFile + [KeychainOpening.direct],
    examples: [
        .init("mildam keychain export -r age1… backup.age", "Whoever has the recipient's key can open it."),
        .init("mildam keychain export --format csv --plain out.csv", "For another password manager."),
    ],
    exitNotes: [
        .init(.refused, "there is such a file already"), .init(.damaged, "an item is damaged; the others are written"),
    ]
) { try await $0.exportItems() }

extension Action {
    fileprivate func exportItems() async throws -> ExitStatus {
        let path = invocation.operand("FILE")
        let isPlain = try isPlainExport()
        try refuseTaken(path)
        let replacing = invocation.flag("force")
        let report: ExportReport
        if isPlain {
            let keychain = try await openFile()
            report = try InputError.naming(path) {
                try CSVExport.write(keychain, to: path, acceptingPlaintext: true, replacing: replacing)
            }
            console.complain(
                shown("mildam: \(path) shows every password to whoever reads it: move it on, and delete it")
            )
        } else {
            let recipients = try bundleRecipients()
            let keychain = try await openFile()
            report = try InputError.naming(path) {
                try KeychainBundle.export(keychain, to: path, recipients: recipients, replacing: replacing)
            }
        }
        return try tell(report, path, isPlain)
    }

    private func isPlainExport() throws -> Bool {
        let (isCSV, isPlain) = (invocation.value("format") == TransferFormat.csv.rawValue, invocation.flag("plain"))
        if isCSV, !isPlain {
            throw wrong("--format csv", "--plain beside it: such a file shows every password to whoever reads it")
        }
        if isPlain, !isCSV { throw wrong("--plain", "left out: a bundle is encrypted") }
        let secrets = ["recipient", "recipients-file", "password-file", "password-fd"]
        if isCSV, let option = secrets.first(where: { invocation.options[$0] != nil }) {
            throw wrong("--\(option)", "left out: a CSV file is not encrypted")
        }
        return isCSV
    }

    /// Throws for what is there already: without `--force`, or where it is no file.
    private func refuseTaken(_ path: String) throws {
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw wrong("FILE", "a new file: \(path) is something else")
        }
        guard invocation.flag("force") || !WholeFile.isTaken(path) else { throw TargetTaken(path: path) }
    }

    /// For whom a bundle is to be: those who are named, or whoever knows the passphrase.
    private func bundleRecipients() throws -> [any AgeRecipient] {
        guard invocation.values("recipient").isEmpty, invocation.values("recipients-file").isEmpty else {
            if isGiven(.exportPassword) { throw AgeError.recipientStandsAlone }
            return try keyRecipients()
        }
        return [
            try AgeScryptRecipient(passphrase: try newSecret(.exportPassword, "Passphrase of the bundle"))
        ]
    }

    private func tell(_ report: ExportReport, _ path: String, _ isPlain: Bool) throws -> ExitStatus {
        for item in report.damaged {
            let name = item.name.isEmpty ? "" : " (\(item.name))"
            self.report.note("item \(item.number)\(name) is damaged, and not in the file")
        }
        let answer = ExportAnswer(
            file: path,
            format: (isPlain ? TransferFormat.csv : .bundle).rawValue,
            items: report.items,
            staysOnThisDevice: report.staysOnThisDevice,
            withoutPlace: report.unsuited,
            damaged: report.damaged.map { ExportAnswer.Damaged(number: $0.number, name: $0.name) }
        )
        try self.report.answer(answer) {
            var parts = ["wrote \(report.items) items to \(path)"]
            if report.staysOnThisDevice > 0 {
                parts.append("left out \(report.staysOnThisDevice) that stay on this device")
            }
            if report.unsuited > 0 { parts.append("left out \(report.unsuited) that the format has no place for") }
            return shown(parts.joined(separator: ", "))
        }
        return report.damaged.isEmpty ? .done : .damaged
    }
}

private struct ExportAnswer: Encodable {
    struct Damaged: Encodable {
        var number: Int64
        var name: String
    }

    var file: String
    var format: String
    var items: Int
    var staysOnThisDevice: Int
    var withoutPlace: Int
    var damaged: [Damaged]
}
