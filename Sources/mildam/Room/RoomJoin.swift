import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomJoin = ActionCommand(
    ["room", "join"],
    summary: "Accept an invitation.",
    discussion: "What somebody asks whom this profile does not know is a request: `mildam request accept` first.",
    operands: [roomOperand],
    examples: [.init("mildam room join kitchen", "Messages from the invitation on can be read.")],
    exitNotes: [.init(.refused, "it is a request of somebody whom this profile does not know")]
) { action in
    let link = try await action.accountClient()
    let (row, fault) = try await action.chosenAnew(link, as: .invitation)
    switch row.standing {
    case .request: throw RoomIsRequest()
    case .left, .removed:
        if let fault { throw fault }
        throw NoInvitation(room: row.label)
    case .older:
        if let fault { throw fault }
        throw ClientFault(error: ClientError(.olderRoom, ["room": "\(row.room)"]))
    case .leaving: throw OnTheWayOut(room: row.label)
    case .invited:
        try await action.fulfil(.accept(room: row.room), over: link)
        // Who is there already has been told while one comes in.
        _ = try await action.refreshed(link)
    case .member, .beginning: break
    }
    let joined = try await action.row(of: row.room, link) ?? row
    let line = RoomLine(joined, try await action.members(of: joined, link))
    try action.report.answer(line) { "joined \(joined.label): \(line.names(isCut: action.console.isTerminal()))" }
    if let name = joined.name, let namesake = try await link.allRows().namesake(called: name, besides: joined.room) {
        action.report.note(namesake)
    }
    return .done
}

/// An invitation of somebody whom the profile does not know is asked about elsewhere.
private struct RoomIsRequest: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String { "somebody asks whom you do not know: see `mildam request list`" }
}

/// One cannot come in while one is on the way out.
private struct OnTheWayOut: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let room: String
    var description: String { "you are leaving \(room): once others have taken you out, they can invite you again" }
}

/// Nobody wants this account in the room.
private struct NoInvitation: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let room: String
    var description: String { "you are no longer a member of \(room), and nobody has invited you again" }
}
