import MildamClientAPI
import MildamTerminal

let roomLeave = ActionCommand(
    ["room", "leave"],
    summary: "Leave a room.",
    discussion:
        "What was said before stays in this profile, until `mildam room forget`. Who leaves as the only owner makes another "
        + "member the owner first: an admin where there is one; `mildam room role` says before who it is to be.",
    operands: [roomOperand],
    examples: [.init("mildam room leave kitchen", "Those who stay make new keys.")]
) { action in
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    // From here on the relay takes nothing else in the room before others have taken this account out.
    try await action.fulfil(.leave(room: row.room), over: link, until: "leaving")
    let left = try await action.row(of: row.room, link) ?? row
    return try action.report.answer(RoomLine(left, [])) { "left \(left.label)" }
}
