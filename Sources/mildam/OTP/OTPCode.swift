import Glibc
import MildamKeychain
import MildamOTP
import MildamOneTimeCode
import MildamSystem
import MildamTerminal

let otpCode = ActionCommand(
    ["otp", "code"],
    summary: "Print a code.",
    discussion: """
        The code of a token that is kept or, with --uri, of one that is not; on a terminal also how many seconds it \
        stands. The codes of a token that counts have no time: --at is refused, and nothing is counted. Other \
        programs of this user see the arguments of this one while it runs, and shells keep them: give - to have the \
        URI read from standard input.

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
    ] + SecretOption.token.options + clipboardOptions + KeychainOpening.all,
    examples: [
        .init("mildam otp code example.org", "With the seconds for which it stands."),
        .init("mildam otp code example.org | wl-copy", "In a pipe, the code alone."),
        .init("mildam otp code example.org --copy", "To paste it within 45 seconds."),
        .init("mildam otp code --uri - < uri.txt", "Nothing is kept."),
    ],
    exitNotes: [
        .init(.notFound, "there is no such token"),
        .init(.refused, "there is no clipboard, or the token's counter is at its end"),
    ]
) { action in
    let time = try action.invocation.integer("at", in: 0...UInt64(Int64.max)) ?? UInt64(WallClock.system.seconds)
    let clipboard = try action.clipboard()
    if let token = try action.foreignToken() {
        try action.checkTime(of: token)
        return try action.give(token, at: time, clipboard)
    }
    guard let name = action.invocation.optionalOperand("NAME") else {
        throw action.misuse(.missingOperand("NAME"))
    }
    let store = try await action.tokens()
    let entry = try store.find(name)
    try action.checkTime(of: entry.token)
    // The counter first: a code that was shown must not be the next one, too.
    return try action.give(try store.advance(entry), at: time, clipboard)
}

extension Action {
    fileprivate func give(_ token: OneTimePassword, at time: UInt64, _ clipboard: Clipboard?) throws -> ExitStatus {
        guard let clipboard else { return try show(token, at: time) }
        let code = SecretValue(text: token.code(at: time))
        try lend(code, "the code", standing: token.secondsRemaining(at: time), to: clipboard)
        return .done
    }

    /// Throws where the code of a moment is asked for, and the token's codes are those of a counter.
    fileprivate func checkTime(of token: OneTimePassword) throws(UsageError) {
        guard case .hotp = token.kind, invocation.value("at") != nil else { return }
        throw wrong("--at", "left out: this token counts, and its codes have no time")
    }

    /// A token that is not kept, if one is given.
    fileprivate func foreignToken() throws -> OneTimePassword? {
        let uri = invocation.value("uri")
        var source = try invocation.source(of: .token)
        guard uri == nil || source == nil else {
            throw wrong("--uri", "left out: \(invocation.written(.token)) gives it")
        }
        if uri == "-" {
            try claimStandardInput()
            source = .descriptor(STDIN_FILENO)
        }
        guard let source else { return try uri.map { try OneTimePassword(uri: $0) } }
        let limit = 8192
        guard let written = try content(of: source, limit: limit) else { throw ImportError.tooLarge(limit: limit) }
        let text = written.span
        return try OneTimePassword(uri: text.extracting(..<(text.count - (text.endsLine ? 1 : 0))))
    }

    private func show(_ token: OneTimePassword, at time: UInt64) throws -> ExitStatus {
        let answer = CodeAnswer(code: token.code(at: time), secondsRemaining: token.secondsRemaining(at: time))
        return try report.answer(answer) {
            guard console.isTerminal(), let seconds = answer.secondsRemaining else { return answer.code }
            return "\(answer.code)  \(seconds) s"
        }
    }
}

private struct CodeAnswer: Encodable {
    var code: String
    var secondsRemaining: Int?
}
