import MildamClientAPI
import MildamTerminal

let roomRemove = ActionCommand(
    ["room", "remove"],
    summary: "Put somebody out of a room, under new keys.",
    operands: [roomOperand, Operand("HANDLE", help: "Whom to put out.", completion: KnownNames.contact.completion)],
    examples: [.init("mildam room remove kitchen carol", "What is said from now on, carol cannot read.")],
    exitNotes: [
        .init(.notFound, "nobody in the room is called so"),
        .init(.refused, "you may not put them out: owners and admins may, and nobody an owner"),
    ]
) { action in
    let handle = try action.handle()
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    try await action.fulfil(.remove(room: row.room, handle: handle), over: link)
    let after = try await action.row(of: row.room, link) ?? row
    let line = RoomLine(after, try await action.members(of: after, link))
    return try action.report.answer(line) { "removed \(handle); the room has new keys, epoch \(after.epoch)" }
}
