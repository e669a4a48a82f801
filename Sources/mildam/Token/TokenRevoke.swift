import MildamTerminal
import MildamTokens

let tokenRevoke = ActionCommand(
    ["token", "revoke"],
    summary: "Have the server end a sign-in, and forget it.",
    discussion: "Where the server does not do it, nothing is forgotten; see `mildam token remove`.",
    operands: [signInOperand],
    options: KeychainOpening.all,
    examples: [.init("mildam token revoke work", "Its tokens open nothing any more (RFC 7009).")],
    exitNotes: [.init(.notFound, "there is no such sign-in"), serverAway]
) { action in
    let store = try await action.signIns()
    let entry = try store.find(try action.signInName())
    let name = entry.signIn.name
    guard entry.signIn.revocationEndpoint != nil else { throw NoRevocation(name: name) }
    let manager = try store.manager(of: entry)
    let isRevoked = try await action.naming(name) { () throws(TokenError) in try await manager.revoke() }
    try store.forget(entry)
    return try action.report.answer(RevocationAnswer(revoked: isRevoked, forgotten: name)) {
        isRevoked ? "ended by the server, and forgotten" : "there were no tokens; forgotten"
    }
}

private struct RevocationAnswer: Encodable {
    var revoked: Bool
    var forgotten: String
}
