import MildamTerminal
import MildamTokens

let tokenList = ActionCommand(
    ["token", "list"],
    summary: "List the sign-ins.",
    options: KeychainOpening.all,
    examples: [.init("mildam token list --json", "Names and servers, for a program.")],
    exitNotes: [.init(.damaged, "what is kept of a sign-in is damaged; the others are listed")]
) { action in
    let kept = try await action.signIns().all()
    let answer = SignInList(signIns: kept.signIns.map(SignInLine.init), damaged: kept.damaged)
    for name in answer.damaged { action.report.note("\(DamagedSignIn(name: name))") }
    try action.report.answer(answer) {
        answer.signIns.isEmpty
            ? "nothing"
            : answer.signIns.map { shown("\($0.name)  \($0.server)  \($0.grant)") }.joined(separator: "\n")
    }
    return answer.damaged.isEmpty ? .done : .damaged
}

private struct SignInList: Encodable {
    var signIns: [SignInLine]
    var damaged: [String]
}

private struct SignInLine: Encodable {
    var name: String
    var server: String
    var grant: String

    init(_ signIn: SignIn) {
        name = signIn.name
        server = signIn.issuer ?? signIn.tokenEndpoint
        grant = signIn.way.rawValue
    }
}
