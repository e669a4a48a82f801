import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let roomContinue = ActionCommand(
    ["room", "continue"],
    summary: "Go on with a room of the first kind.",
    discussion: """
        A room that was made before rooms were MLS groups can only be read. This makes a room of the same name, which \
        you own, and invites the members; what was said before stays where it is. Who cannot be invited yet is named, \
        and can be invited later. Where another member was first, you are told who, and how to join. Said again, it \
        makes nothing twice.
        """,
    operands: [roomOperand],
    examples: [.init("mildam room continue kitchen", "Says which room goes on, and who is not in it yet.")],
    exitNotes: [.init(.refused, "another member has gone on with it, or you are no member of it")]
) { action in
    let client = SteadyClient(try await action.accountClient(), for: action)
    let older = try await action.chosen(client, as: .older)
    let answer = try await action.awaiting(nil) {
        try await action.answer(to: .continueRoom(room: older.room), from: client)
    }
    guard case .continued(let continuation) = answer else { throw ClientLinkError.misunderstood(.unknown) }
    let own = continuation.rooms.first { $0.row.standing == .member || $0.row.standing == .beginning }?.row.room
    try action.report.answer(continuation) {
        lines(of: continuation, shown(older.name ?? "\(older.room)"), own).joined(separator: "\n")
    }
    return own == nil ? .refused : .done
}

private func lines(of continuation: RoomContinuation, _ name: String, _ own: RoomID?) -> [String] {
    guard let own else {
        return continuation.rooms.map {
            "\($0.by?.text ?? "somebody") has gone on with \(name): mildam room join \($0.row.room)"
        }
    }
    var lines = [continuation.isNew ? "\(name) goes on as \(own)" : "\(name) goes on already, as \(own)"]
    lines += continuation.missing.map { somebody in
        "\(somebody.handle) is not in it: \(OlderRoomWords.reason(somebody.code)); "
            + "later: mildam room invite \(own) \(somebody.handle)"
    }
    let others = continuation.rooms.filter { $0.row.room != own }
    lines += others.map { "\($0.by?.text ?? "somebody") has gone on with it, too: \($0.row.room)" }
    guard let common = continuation.rooms.first?.row.room, !others.isEmpty else { return lines }
    // Everybody sees the same rooms, and so is told to stay in the same one.
    if common != own { lines.append("go where all are told to go: mildam room join \(common)") }
    lines += continuation.rooms.map(\.row.room).filter { $0 != common }.map { "and then: mildam room leave \($0)" }
    return lines
}
