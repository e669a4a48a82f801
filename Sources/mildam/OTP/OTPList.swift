import MildamTerminal

let otpList = ActionCommand(
    ["otp", "list"],
    summary: "List the tokens.",
    options: KeychainOpening.all,
    examples: [.init("mildam otp list", "By name.")]
) { action in
    let lines = action.told(try await action.tokens().all()).map { entry in
        TokenLine(name: entry.name, kind: "\(entry.token.kind)", digits: entry.token.digits)
    }
    return try action.report.answer(["tokens": lines]) {
        lines.isEmpty ? "nothing" : lines.map { shown("\($0.name)  \($0.kind)") }.joined(separator: "\n")
    }
}

private struct TokenLine: Encodable {
    var name: String
    var kind: String
    var digits: Int
}
