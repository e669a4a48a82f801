import MildamCrypto
import MildamOneTimeCode
import MildamSystem
import MildamTerminal

let otpImport = ActionCommand(
    ["otp", "import"],
    summary: "Keep the tokens of another program's export.",
    discussion: """
        Aegis, 2FAS, andOTP and ente, encrypted or not, Google Authenticator, lists of otpauth:// URIs, and JSON arrays of \
        tokens. Each row that is none is named; the others are kept. Of a token that counts and is there already, the \
        higher counter stays.
        """,
    operands: [Operand("FILE", help: "The export; - for standard input.", completion: .file)],
    options: [
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices(ImportFormat.allCases.map(\.rawValue))),
            help: "What it is, where it cannot be told from the file."
        ),
        OptionSpec(
            "map",
            value: .init("FIELDS"),
            help: "What a JSON array calls its fields: secret=k,issuer=from,encoding=base64."
        ),
    ] + SecretOption.exportPassword.options + KeychainOpening.all,
    examples: [.init("mildam otp import aegis-export.json", "What it is, is found out.")],
    exitNotes: [
        .init(.failed, "rows were not kept for several reasons; each is named"),
        .init(.wrongSecret, "the password is wrong"),
        .init(.damaged, "the file is no export, or a row is no token"),
        .init(.refused, "another token has the name already"),
    ]
) { action in
    try await action.keep(try action.readExport().rows)
}

extension Action {
    fileprivate func readExport() throws -> TokenImport {
        let path = invocation.operand("FILE")
        let limit = ImportLimits().fileByteCount
        var file = path == "-" ? try bytes(limit: limit) : try WholeFile.read(path, limit: limit)
        defer { file.wipe() }
        let format = invocation.value("format").flatMap(ImportFormat.init)
        var password: SymmetricKey?
        if (format ?? ImportFormat.detect(file.span))?.needsPassword == true { password = try exportPassword() }
        let map = try invocation.value("map").map { try FieldMap($0) } ?? FieldMap()
        return try TokenImport(file.span, as: format, password: password, map: map)
    }

    private func exportPassword() throws -> SymmetricKey {
        SymmetricKey(try secret(.exportPassword, "Password of the export"))
    }
}
