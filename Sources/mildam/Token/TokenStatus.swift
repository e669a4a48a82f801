import MildamTerminal
import MildamTokens

let tokenStatus = ActionCommand(
    ["token", "status"],
    summary: "Show how a sign-in does, without its tokens.",
    discussion: "Nothing is asked of the server.",
    operands: [signInOperand],
    options: KeychainOpening.all,
    examples: [.init("mildam token status work", "Until when the token is good, and for what.")],
    exitNotes: [.init(.notFound, "there is no such sign-in"), signInNeeded]
) { action in
    let store = try await action.signIns()
    let entry = try store.find(try action.signInName())
    let manager = try store.manager(of: entry)
    let tokens = try await action.naming(entry.signIn.name) { () throws(TokenError) in try await manager.status() }
    let status = SignInStatus(entry.signIn, tokens)
    try action.report.answer(status) { status.text }
    return status.signedIn ? .done : .refused
}
