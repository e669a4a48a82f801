import MildamTerminal

let roomJoin = ActionCommand(
    ["room", "join"],
    summary: "Accept an invitation.",
    discussion: "What somebody asks whom this profile does not know is a request: `mildam request accept` first.",
    operands: [roomOperand],
    examples: [.init("mildam room join kitchen", "Messages from the invitation on can be read.")]
) { action in
    let joined = try await action.messenger().join(action.room)
    return try action.report.answer(joined) { "joined \(shown(joined.name)): \(joined.names)" }
}
