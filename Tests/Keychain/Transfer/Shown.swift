import TestSupport

@testable import MildamKeychain

/// A login as plain text, to be compared in a test.
struct Shown: Equatable {
    var title = ""
    var addresses: [String] = []
    var username = ""
    var password = ""
    var note = ""
    var oneTimeCode = ""
    var folder = ""
    var fields: [String] = []

    init(
        _ title: String,
        _ addresses: [String] = [],
        _ username: String = "",
        _ password: String = "",
        note: String = "",
        oneTimeCode: String = "",
        folder: String = "",
        fields: [String] = []
    ) {
        (self.title, self.addresses, self.username, self.password) = (title, addresses, username, password)
        (self.note, self.oneTimeCode, self.folder, self.fields) = (note, oneTimeCode, folder, fields)
    }

    init(_ login: ImportedLogin) {
        self.init(
            login.title,
            login.addresses,
            login.username,
            login.password?.text ?? "",
            note: login.note?.text ?? "",
            oneTimeCode: login.oneTimeCode?.text ?? "",
            folder: login.folder ?? "",
            fields: login.fields.map { "\($0.name)=\($0.value.text ?? "?")" }
        )
    }
}

extension ImportedLogins {
    /// The rows that could be read, as plain text.
    var shown: [Shown] { logins.map { Shown($0) } }

    /// What is wrong with each of the others.
    var defects: [RowDefect] {
        rows.compactMap { if case .refused(_, _, let reason) = $0 { reason } else { nil } }
    }
}

/// Runs a script of Python's, and gives what it prints.
func python(_ script: String, input: String? = nil) throws -> [UInt8] {
    let result = try Program.run("python3", ["-c", script], input: input)
    guard result.status == 0 else { throw StringError(result.description) }
    return Array(result.output.utf8)
}

/// Reads logins in CSV.
func readCSV(_ bytes: [UInt8]) throws(TransferError) -> ImportedLogins { try CSVImport.read(bytes.span) }

/// Reads an export of Bitwarden's.
func readBitwarden(_ bytes: [UInt8], _ password: SecretValue? = nil) throws(TransferError) -> ImportedLogins {
    try BitwardenImport.read(bytes.span, password: password)
}

/// Reads an export of KeePass's.
func readKeePass(_ bytes: [UInt8]) throws(TransferError) -> ImportedLogins { try KeePassImport.read(bytes.span) }
