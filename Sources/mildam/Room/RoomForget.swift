import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomForget = ActionCommand(
    ["room", "forget"],
    summary: "Drop what is here of a room that you are not in any more.",
    discussion: "What was said there can be read no longer on this device, and nothing of it comes back.",
    operands: [roomOperand],
    options: [OptionSpec("yes", short: "y", help: "Do not ask.")],
    examples: [.init("mildam room forget kitchen", "Asks first.")],
    exitNotes: [.init(.refused, "you are in the room: `mildam room leave` first; or it was not agreed to")]
) { action in
    let link = try await action.accountClient()
    let row = try await action.chosen(link, as: .past)
    guard row.standing == .left || row.standing == .removed else { throw StillThere(row) }
    if !action.invocation.flag("yes") {
        let question = "Drop everything that is here of \(row.label)? It can be read no longer."
        guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
    }
    guard case .done = try await action.answer(to: .forget(room: row.room), from: link) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    return try action.report.answer(["forgotten": "\(row.room)"]) { "forgot \(row.label)" }
}

/// A room that one is in, or may come into, is not forgotten.
private struct StillThere: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    private let row: RoomRow

    init(_ row: RoomRow) { self.row = row }

    var description: String {
        switch row.standing {
        case .invited, .request: "you are invited to \(row.label): `mildam room decline` first"
        case .leaving: "others have not taken you out of \(row.label) yet; it can be forgotten then"
        case .older: "\(row.label) is of the first kind: what was said there stays, to be read"
        default: "you are in \(row.label): `mildam room leave` first"
        }
    }
}
