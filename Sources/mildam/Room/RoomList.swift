import MildamClientAPI
import MildamTerminal

let roomList = ActionCommand(
    ["room", "list"],
    summary: "List rooms and invitations.",
    discussion: """
        Where the relay cannot be reached, or the disk takes nothing, what is here is listed all the same.
        """,
    options: [OptionSpec("offline", help: "What is here, without waiting for the relay.")],
    examples: [.init("mildam room list", "Name, id, standing, members, and what was not read.")]
) { action in
    let link = try await action.reader()
    let fault = try await action.invocation.flag("offline") ? nil : action.refreshed(link)
    let all = try await link.allRows()
    let requests = all.count { $0.standing == .request }
    let rows = all.filter { $0.standing != .request }.sorted { ($0.label, $0.room) < ($1.label, $1.room) }
    var rooms: [RoomLine] = []
    for row in rows {
        rooms.append(RoomLine(row, try await action.members(of: row, link)))
    }
    let answer = RoomListAnswer(
        rooms: rooms,
        requests: requests > 0 ? requests : nil,
        trouble: fault?.description,
        code: fault?.code
    )
    try action.report.answer(answer) {
        let isCut = action.console.isTerminal()
        var lines = zip(rows, rooms).map { row, room in
            roomListLine(row, room, isCut: isCut)
        }
        if requests > 0 { lines.append(requestLine(requests)) }
        return lines.isEmpty ? "no rooms yet: mildam room create NAME" : lines.joined(separator: "\n")
    }
    if let fault { action.report.note("this is what is here: \(fault)") }
    return .done
}

private let nameColumns = 20

/// A room in a line. Names are cut to columns, and many members counted, on a terminal alone.
private func roomListLine(_ row: RoomRow, _ room: RoomLine, isCut: Bool) -> String {
    let isLong = !isCut && DisplayWidth.of(row.label) > nameColumns
    let name = isLong ? row.label : DisplayWidth.padded(row.label, to: nameColumns)
    var parts = [name, "\(row.room)", row.situation]
    if !room.members.isEmpty { parts.append(room.names(isCut: isCut)) }
    if row.unread > 0 || row.hasMoreUnread == true { parts.append("\(row.unreadCount) unread") }
    if let warning = row.warning { parts.append(RoomCauseWords.sentence(for: warning, number: row.warningNumber)) }
    return parts.joined(separator: "  ")
}

private struct RoomListAnswer: Encodable {
    let rooms: [RoomLine]
    /// Left out where there are none.
    let requests: Int?
    /// What could not be done; left out where all was.
    let trouble: String?
    /// The same as a code of the client.
    let code: String?
}
