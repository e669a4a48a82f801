import MildamRelayAPI
import MildamTerminal

let tokenGet = ActionCommand(
    ["token", "get"],
    summary: "Print an access token that is good for a while.",
    discussion: """
        It is renewed first where it has run out, or soon will, once however many ask. Nothing is added to it but, on a \
        terminal, a line break; a terminal shows it only with --reveal. A token that is bound to a key (DPoP) is of no use without that key.
        """,
    operands: [signInOperand],
    options: [OptionSpec("reveal", help: "Also on a terminal.")] + KeychainOpening.all,
    examples: [.init("mildam token get work | wl-copy", "Standard output is a program's best.")],
    exitNotes: [.init(.notFound, "there is no such sign-in"), signInNeeded, serverAway]
) { action in
    guard !action.console.isTerminal() || action.invocation.flag("reveal") else {
        throw action.wrong("token get", "a pipe, or --reveal on a terminal")
    }
    let name = try action.signInName()
    let credential = try await action.accessToken(of: name)
    guard action.report.isJSON else {
        try action.writeOut(credential.token)
        return .done
    }
    let answer = TokenAnswer(name: name, accessToken: credential.token.text, tokenType: credential.scheme.name)
    return try action.report.answer(answer) { "" }
}

private struct TokenAnswer: Encodable {
    var name: String
    var accessToken: String?
    var tokenType: String
}
