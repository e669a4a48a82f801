import MildamTerminal

let outboxDrop = ActionCommand(
    ["outbox", "drop"],
    summary: "Drop something that waits.",
    discussion: "If its last attempt broke off, the relay may have it all the same.",
    operands: [Operand("PLACE", help: "Its place, as `mildam outbox list` shows it.")],
    examples: [.init("mildam outbox drop 3", "It is not sent any more.")]
) { action in
    guard let place = Int64(action.invocation.operand("PLACE")) else {
        throw action.wrong("PLACE", "a number that `mildam outbox list` shows")
    }
    try await action.messenger().dropFromOutbox(place)
    return try action.report.answer(["dropped": place]) { "dropped" }
}
