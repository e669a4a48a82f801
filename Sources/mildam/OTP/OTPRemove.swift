import MildamTerminal

let otpRemove = ActionCommand(
    ["otp", "remove"],
    summary: "Remove a token.",
    operands: [tokenOperand],
    options: KeychainOpening.all,
    examples: [.init("mildam otp remove example.org", "For good.")]
) { action in
    let store = try await action.tokens()
    let entry = try store.find(action.invocation.operand("NAME"))
    try store.remove(entry)
    return try action.report.answer(["removed": entry.name]) { shown("removed \(entry.name)") }
}
