import MildamClientAPI
import MildamTerminal

let roomDecline = ActionCommand(
    ["room", "decline"],
    summary: "Decline an invitation.",
    operands: [roomOperand],
    examples: [
        .init("mildam room decline kitchen", "You do not come in; where the room has this device, the others see that.")
    ],
    exitNotes: [.init(.refused, "you are in the room already: `mildam room leave`")]
) { action in
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link, as: .invitation)
    guard row.standing != .request else { throw DeclinesNoRequest() }
    guard row.standing == .invited else { throw NotOnlyInvited(room: row.label) }
    try await action.fulfil(.decline(room: row.room), over: link, until: "leaving")
    let declined = try await action.row(of: row.room, link) ?? row
    return try action.report.answer(RoomLine(declined, [])) { "declined \(row.label)" }
}

/// Who asks hears nothing of it: that is another command.
private struct DeclinesNoRequest: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String {
        "somebody asks whom you do not know: `mildam request decline` declines, and tells them nothing"
    }
}

/// The person is in the room, or was in it.
private struct NotOnlyInvited: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let room: String
    var description: String { "nobody's invitation to \(room) waits: `mildam room leave` goes out of a room" }
}
