import MildamMessenger
import MildamTerminal

let roomMend = ActionCommand(
    ["room", "mend"],
    summary: "Go on after the relay's list of members and that of the members differ.",
    discussion:
        "Whoever stands on one of the two lists only is put out, and the others get a new key. Nobody comes "
        + "in by the relay's word; who was put out by mistake can be invited again.",
    operands: [roomOperand],
    examples: [.init("mildam room mend kitchen", "What waited in the outbox is sent by the next command.")]
) { action in
    let (room, putOut) = try await action.messenger().mend(action.room)
    return try action.report.answer(MendAnswer(room: room, putOut: putOut)) {
        "\(putOut) put out; members of \(shown(room.name)) are \(room.names)"
    }
}

private struct MendAnswer: Encodable {
    var room: RoomSummary
    var putOut: Int
}
