import MildamTerminal

let enclaveDelete = ActionCommand(
    ["enclave", "delete"],
    summary: "Delete a key for good.",
    discussion: "What was encrypted to it cannot be opened any more.",
    operands: [enclaveNameOperand],
    options: [OptionSpec("yes", short: "y", help: "Do not ask."), enclaveGroupOption] + KeychainOpening.all,
    examples: [.init("mildam enclave delete tokens", "Asks first.")],
    exitNotes: [.init(.refused, "it was not agreed to")]
) { action in
    let store = try await action.enclaveKeys()
    let key = try store.find(action.invocation.operand("NAME"), group: action.invocation.value("group"))
    if !action.invocation.flag("yes") {
        let question = "Delete \(key.name)? What was encrypted to it cannot be opened any more."
        guard try Prompt().confirm(question, option: "--yes") else {
            try action.report.answer(["deleted": false]) { "not deleted" }
            return .refused
        }
    }
    try store.remove(key)
    return try action.report.answer(["deleted": true]) { shown("deleted \(key.name)") }
}
