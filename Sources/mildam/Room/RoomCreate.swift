import MildamTerminal

let roomCreate = ActionCommand(
    ["room", "create"],
    summary: "Make a room.",
    operands: [Operand("NAME", help: "What members see. The relay does not.")],
    examples: [.init("mildam room create kitchen", "You are its only member.")]
) { action in
    let room = try await action.messenger().createRoom(action.invocation.operand("NAME"))
    return try action.report.answer(room) { "made \(shown(room.name))  \(room.room)" }
}
