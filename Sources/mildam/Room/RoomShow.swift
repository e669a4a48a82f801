import MildamMessenger
import MildamTerminal

let roomShow = ActionCommand(
    ["room", "show"],
    summary: "Show a room's members and their fingerprints.",
    operands: [roomOperand],
    options: [OptionSpec("offline", help: "Do not ask the relay.")],
    examples: [.init("mildam room show kitchen", "What members said, not what the relay says.")],
    exitNotes: [
        .init(.refused, "the relay's list of members is not the one that members made"),
        .init(.unreachable, "there is more to take in: say it again"),
    ]
) { action in
    let (room, members, trouble) = try await action.messenger().showRoom(
        action.room,
        fetching: !action.invocation.flag("offline")
    )
    try action.report.answer(RoomAnswer(room: room, members: members, trouble: trouble.map(Report.text))) {
        let head = "\(shown(room.name))  \(room.room)  \(room.standing)  key \(room.generation)"
        return
            ([head]
            + members.map { member in
                DisplayWidth.padded(member.handle.text, to: 32) + "  " + member.fingerprint
                    + (member.differs == true ? "  not the key seen" : "")
            }).joined(separator: "\n")
    }
    return action.report.ended(with: trouble) ?? .done
}

private struct RoomAnswer: Encodable {
    var room: RoomSummary
    var members: [ContactSummary]
    /// What is the matter with the room, if anything.
    var trouble: String?
}
