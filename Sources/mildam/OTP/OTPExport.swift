import Glibc
import MildamKeychain
import MildamOTP
import MildamOneTimeCode
import MildamProfile
import MildamTerminal

let otpExport = ActionCommand(
    ["otp", "export"],
    summary: "Print the tokens with their secrets.",
    discussion: """
        As otpauth:// URIs, or for Google Authenticator, which takes 6 or 8 digits, 30 seconds, and no Steam Guard: a \
        token that its export cannot hold is named and left out. Whoever reads it can make the codes.
        """,
    options: [
        OptionSpec("google", help: "As otpauth-migration:// URIs, of ten tokens each."),
        OptionSpec("reveal", help: "Also on a terminal."),
    ] + KeychainOpening.all,
    examples: [.init("mildam otp export | age -r age1… > tokens.age", "Never in clear on a disk.")],
    exitNotes: [.init(.failed, "a token was left out; each is named")]
) { action in
    guard isatty(STDOUT_FILENO) == 0 || action.invocation.flag("reveal") || action.report.isJSON else {
        throw action.wrong("otp export", "a pipe, or --reveal on a terminal")
    }
    return try action.write(action.told(try await action.tokens().all()))
}

extension Action {
    fileprivate func write(_ entries: [OneTimeCodeStore.Entry]) throws -> ExitStatus {
        guard invocation.flag("google") else {
            for entry in entries { try writeLine(SecretValue(entry.token.uriBytes)) }
            return .done
        }
        let held = entries.filter(isHeldByGoogle)
        // Without any token at all, it is the batches that say so.
        guard !held.isEmpty || entries.isEmpty else { return .failed }
        for batch in try MigrationBatch.batches(of: held.map(\.token), id: Int32.random(in: 1 ... .max)) {
            try writeLine(SecretValue(batch.uriBytes))
        }
        return held.count == entries.count ? .done : .failed
    }

    /// Whether Google's export can hold a token; says so where it cannot.
    private func isHeldByGoogle(_ entry: OneTimeCodeStore.Entry) -> Bool {
        guard let field = entry.token.unknownToMigration else { return true }
        console.complain(
            shown("mildam: \(entry.name) cannot go to Google Authenticator: \(field.migrationLimit); it was left out")
        )
        return false
    }

    private func writeLine(_ text: SecretValue) throws {
        try writeOut(text)
        if isatty(STDOUT_FILENO) == 0 { try console.print("") }
    }
}
