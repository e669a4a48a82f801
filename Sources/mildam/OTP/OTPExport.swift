import Glibc
import MildamKeychain
import MildamOTP
import MildamOneTimeCode
import MildamTerminal

let otpExport = ActionCommand(
    ["otp", "export"],
    summary: "Print the tokens with their secrets.",
    discussion: "As otpauth:// URIs, or for Google Authenticator. Whoever reads it can make the codes.",
    options: [
        OptionSpec("google", help: "As otpauth-migration:// URIs, of ten tokens each."),
        OptionSpec("reveal", help: "Also on a terminal."),
    ] + KeychainOpening.all,
    examples: [.init("mildam otp export | age -r age1… > tokens.age", "Never in clear on a disk.")]
) { action in
    guard isatty(STDOUT_FILENO) == 0 || action.invocation.flag("reveal") || action.report.isJSON else {
        throw action.wrong("otp export", "a pipe, or --reveal on a terminal")
    }
    try action.write(action.told(try await action.tokens().all()).map(\.token))
    return .done
}

extension Action {
    fileprivate func write(_ tokens: [OneTimePassword]) throws {
        if invocation.flag("google") {
            for batch in try MigrationBatch.batches(of: tokens, id: Int32.random(in: 1 ... .max)) {
                try writeLine(SecretValue(batch.uriBytes))
            }
        } else {
            for token in tokens { try writeLine(SecretValue(token.uriBytes)) }
        }
    }

    private func writeLine(_ text: SecretValue) throws {
        try writeOut(text)
        if isatty(STDOUT_FILENO) == 0 { try console.print("") }
    }
}
