import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let roomCreate = ActionCommand(
    ["room", "create"],
    summary: "Make a room.",
    discussion:
        "It is there at once, and at the relay as soon as that can be reached. You own it. Every member may bring others in, until "
        + "`mildam room policy ROOM --invite no`.",
    operands: [Operand("NAME", help: "What members see. The relay does not.")],
    examples: [.init("mildam room create kitchen", "You are its only member.")],
    exitNotes: [.init(.unreachable, "it is made at the relay by itself later")]
) { action in
    let name = action.invocation.operand("NAME")
    guard RoomName.isFit(name) else { throw action.wrong("NAME", RoomName.rule) }
    let client = SteadyClient(try await action.accountClient(), for: action)
    let others = try await client.allRows()
    let ask = ClientAsk.createRoom(name: name, id: RoomID.random())
    guard case .room(let row) = try await action.answer(to: ask, from: client) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    let link = client.present
    let (made, kept) = try await action.made(row, link)
    let line = RoomLine(made, try await action.members(of: made, link))
    try action.report.answer(line) { "made \(shown(name))  \(row.room)" }
    if let namesake = others.namesake(called: name, besides: row.room) { action.report.note(namesake) }
    if let kept { action.report.note(kept.description) }
    return kept?.exitStatus ?? .done
}

extension Action {
    /// A room once the relay has it, or as it is where that cannot be reached.
    fileprivate func made(_ row: RoomRow, _ link: ClientLink) async throws -> (RoomRow, WishKept?) {
        var row = row
        var fault: ClientFault?
        for _ in 0..<3 where row.isBeginning {
            fault = try await refreshed(link)
            for _ in 0..<100 where row.isBeginning && fault == nil {
                try await Task.sleep(for: .milliseconds(50))
                row = try await self.row(of: row.room, link) ?? row
            }
            if fault != nil { break }
        }
        guard row.isBeginning else { return (row, nil) }
        let reason = fault?.description ?? "the relay has not answered yet"
        return (row, WishKept(reason: reason, exitStatus: fault?.exitStatus ?? .unreachable))
    }
}

extension RoomRow {
    /// Whether the relay does not have the room yet, or not its name.
    fileprivate var isBeginning: Bool { standing == .beginning || standing == .member && epoch == 0 }
}
