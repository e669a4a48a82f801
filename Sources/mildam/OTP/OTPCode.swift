import MildamKeychain
import MildamOTP
import MildamSystem
import MildamTerminal

let otpCode = ActionCommand(
    ["otp", "code"],
    summary: "Print a code, and how long it stands.",
    discussion: """
        The code of a token that is kept or, with --uri, of one that is not. Other programs of this user see the \
        arguments of this one while it runs, and shells keep them: give - to have the URI read from standard input.

        \(clipboardNote)
        """,
    operands: [
        Operand("NAME", help: "The token: its account or issuer, or a part that only one has.", arity: .optional)
    ],
    options: [
        OptionSpec(
            "uri",
            value: .init("URI"),
            help: "A token that is not kept: an otpauth:// URI, or - to read it."
        ),
        OptionSpec("at", value: .init("UNIXTIME"), help: "The code of another moment, in seconds since 1970."),
    ] + clipboardOptions + KeychainOpening.all,
    examples: [
        .init("mildam otp code example.org", "With the seconds for which it stands."),
        .init("mildam otp code example.org --copy", "To paste it within 45 seconds."),
        .init("mildam otp code --uri - < uri.txt", "Nothing is kept."),
    ],
    exitNotes: [.init(.notFound, "there is no such token"), .init(.refused, "there is no clipboard")]
) { action in
    let time = try action.invocation.integer("at", in: 0...UInt64(Int64.max)) ?? UInt64(WallClock.system.seconds)
    let clipboard = try action.clipboard()
    if let uri = action.invocation.value("uri") {
        return try action.give(try action.foreignToken(uri), at: time, clipboard)
    }
    guard let name = action.invocation.optionalOperand("NAME") else {
        throw action.misuse(.missingOperand("NAME"))
    }
    let store = try await action.tokens()
    let entry = try store.find(name)
    // The counter first: a code that was shown must not be the next one, too.
    try store.advance(entry)
    return try action.give(entry.token, at: time, clipboard)
}

extension Action {
    fileprivate func give(_ token: OneTimePassword, at time: UInt64, _ clipboard: Clipboard?) throws -> ExitStatus {
        guard let clipboard else { return try show(token, at: time) }
        let code = SecretValue(text: token.code(at: time))
        try lend(code, "the code", standing: token.secondsRemaining(at: time), to: clipboard)
        return .done
    }

    /// A token that is not kept.
    fileprivate func foreignToken(_ uri: String) throws -> OneTimePassword {
        guard uri == "-" else { return try OneTimePassword(uri: uri) }
        var bytes = try bytes(limit: 8192)
        defer { bytes.wipe() }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return try OneTimePassword(uri: bytes.span)
    }

    private func show(_ token: OneTimePassword, at time: UInt64) throws -> ExitStatus {
        let answer = CodeAnswer(code: token.code(at: time), secondsRemaining: token.secondsRemaining(at: time))
        return try report.answer(answer) {
            answer.secondsRemaining.map { "\(answer.code)  \($0) s" } ?? answer.code
        }
    }
}

private struct CodeAnswer: Encodable {
    var code: String
    var secondsRemaining: Int?
}
