import MildamMessenger
import MildamTerminal

let roomCreate = ActionCommand(
    ["room", "create"],
    summary: "Make a room.",
    operands: [Operand("NAME", help: "What members see. The relay does not.")],
    examples: [.init("mildam room create kitchen", "You are its only member.")]
) { action in
    let name = action.invocation.operand("NAME")
    guard RoomName.isFit(name) else { throw action.wrong("NAME", RoomName.rule) }
    let room = try await action.messenger().createRoom(name)
    return try action.report.answer(room) { "made \(shown(room.name))  \(room.room)" }
}
