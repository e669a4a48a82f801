import MildamTerminal

let roomLeave = ActionCommand(
    ["room", "leave"],
    summary: "Leave a room.",
    operands: [roomOperand],
    examples: [.init("mildam room leave kitchen", "Those who stay make a new key.")]
) { action in
    let messenger = try await action.messenger()
    try await messenger.leave(action.room)
    let left = try await messenger.showRoom(action.room, fetching: false).room
    return try action.report.answer(left) { "left \(shown(left.name))" }
}
