import MildamTerminal

let otpRemove = ActionCommand(
    ["otp", "remove"],
    summary: "Remove a token.",
    discussion: "It is kept for 30 days: `mildam keychain trash` lists it, and puts it back.",
    operands: [tokenOperand],
    options: KeychainOpening.all,
    examples: [.init("mildam otp remove example.org", "Of this issuer.")]
) { action in
    let store = try await action.tokens()
    let entry = try store.find(action.invocation.operand("NAME"))
    let past = try store.remove(entry)
    let answer = RemovedToken(removed: entry.name, past: past.number, keptUntil: past.keptUntil.map(action.time))
    return try action.report.answer(answer) { shown("removed \(entry.name)\(past.promise)") }
}

private struct RemovedToken: Encodable {
    var removed: String
    /// What restores it.
    var past: Int64
    var keptUntil: String?
}
