import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomRename = ActionCommand(
    ["room", "rename"],
    summary: "Call a room otherwise.",
    operands: [roomOperand, Operand("NAME", help: "What members see from now on. The relay does not.")],
    examples: [.init("mildam room rename kitchen parlour", "For all of its members.")],
    exitNotes: [.init(.refused, "you may not say what the room is called")]
) { action in
    let name = action.invocation.operand("NAME")
    guard RoomName.isFit(name) else { throw action.wrong("NAME", RoomName.rule) }
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    let namesake = try await link.allRows().namesake(called: name, besides: row.room)
    try await action.fulfil(.rename(room: row.room, name: name), over: link)
    let after = try await action.row(of: row.room, link) ?? row
    let line = RoomLine(after, try await action.members(of: after, link))
    try action.report.answer(line) { "\(row.label) is called \(shown(name)) now" }
    if let namesake { action.report.note(namesake) }
    return .done
}
