import MildamTerminal

let roomRemove = ActionCommand(
    ["room", "remove"],
    summary: "Put somebody out of a room, under a new key.",
    operands: [roomOperand, Operand("HANDLE", help: "Whom to put out.", completion: KnownNames.contact.completion)],
    examples: [.init("mildam room remove kitchen carol", "What is said from now on, carol cannot read.")]
) { action in
    let messenger = try await action.messenger()
    let handle = try action.handle()
    try await messenger.remove(handle, from: action.room)
    let room = try await messenger.showRoom(action.room, fetching: false).room
    return try action.report.answer(room) { "removed \(handle); the room has a new key, number \(room.generation)" }
}
