import MildamTerminal

let roomList = ActionCommand(
    ["room", "list"],
    summary: "List rooms and invitations.",
    options: [OptionSpec("offline", help: "Do not ask the relay for new invitations.")],
    examples: [.init("mildam room list", "Name, standing, members.")]
) { action in
    let rooms = try await action.messenger().rooms(fetching: !action.invocation.flag("offline"))
    return try action.report.answer(["rooms": rooms]) {
        if rooms.isEmpty { return "no rooms yet: mildam room create NAME" }
        return rooms.map { room in
            let standing =
                room.standing == "invited"
                ? "invited by \(room.invitedBy?.text ?? "?"): mildam room join \(room.room)" : room.standing
            return DisplayWidth.padded(shown(room.name), to: 20) + "  " + room.room.description + "  "
                + standing + "  " + room.names
        }.joined(separator: "\n")
    }
}
