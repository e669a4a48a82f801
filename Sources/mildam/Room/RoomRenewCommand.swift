import MildamClientAPI
import MildamTerminal

let roomRenew = ActionCommand(
    ["room", "renew"],
    summary: "Begin a room's group anew, where nothing else helps.",
    discussion: """
        What goes wrong in a room mends by itself: a device that cannot follow a change comes back from outside. Where a \
        change is lost for good, as by a relay that was restored from an old backup, the room goes on with a fresh group of \
        the same members, roles and name, into which each device comes by itself.
        """,
    operands: [roomOperand],
    examples: [.init("mildam room renew kitchen", "The room's next group; what was said before stays.")],
    exitNotes: [.init(.refused, "only an owner or admin begins the group anew")]
) { action in
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    try await action.fulfil(.renew(room: row.room), over: link)
    let after = try await action.row(of: row.room, link) ?? row
    let line = RoomLine(after, try await action.members(of: after, link))
    return try action.report.answer(line) { "\(after.label) has a fresh group, number \(after.generation)" }
}
