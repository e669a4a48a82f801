import MildamMessenger
import MildamTerminal

let roomList = ActionCommand(
    ["room", "list"],
    summary: "List rooms and invitations.",
    options: [OptionSpec("offline", help: "Do not ask the relay for new invitations.")],
    examples: [.init("mildam room list", "Name, standing, members.")]
) { action in
    let messenger = try await action.messenger()
    let rooms = try await messenger.rooms(fetching: !action.invocation.flag("offline"))
    let requests = try await messenger.requests(fetching: false).requests.count
    return try action.report.answer(RoomListAnswer(rooms: rooms, requests: requests > 0 ? requests : nil)) {
        let lines = rooms.map { room in
            let standing =
                room.standing == "invited"
                ? "invited by \(room.invitedBy?.text ?? "?"): mildam room join \(room.room)" : room.standing
            return DisplayWidth.padded(shown(room.name), to: 20) + "  " + room.room.description + "  "
                + standing + "  " + room.names
        }
        if requests > 0 { return (lines + [requestLine(requests)]).joined(separator: "\n") }
        return rooms.isEmpty ? "no rooms yet: mildam room create NAME" : lines.joined(separator: "\n")
    }
}

private struct RoomListAnswer: Encodable {
    var rooms: [RoomSummary]
    /// Left out where there are none.
    var requests: Int?
}
