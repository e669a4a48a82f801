import MildamClientAPI
import MildamMessenger
import MildamTerminal

let roomRole = ActionCommand(
    ["room", "role"],
    summary: "Give a member a role.",
    discussion: """
        An owner says who may do what. An admin brings others in, puts them out and says what the room is called. A \
        member talks, and may besides what the room's policy lets members do.
        """,
    operands: [
        roomOperand,
        Operand("HANDLE", help: "Whom.", completion: KnownNames.contact.completion),
        Operand("ROLE", help: "What they may do.", completion: .choices(MemberRole.allCases.map(\.rawValue))),
    ],
    examples: [.init("mildam room role kitchen bob admin", "bob may put others out from now on.")],
    exitNotes: [.init(.refused, "only an owner says who has which role")]
) { action in
    let handle = try action.handle()
    guard let role = MemberRole(rawValue: action.invocation.operand("ROLE")) else {
        throw action.wrong("ROLE", MemberRole.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let link = try await action.accountClient()
    let (row, _) = try await action.chosenAnew(link)
    try await action.fulfil(.role(room: row.room, handle: handle, role: role), over: link)
    return try action.report.answer(RoomRoleAnswer(room: "\(row.room)", handle: handle.text, role: role)) {
        "\(handle) is \(role == .member ? "a" : "an") \(role.rawValue) of \(row.label) now"
    }
}

private struct RoomRoleAnswer: Encodable {
    let room: String
    let handle: String
    let role: MemberRole
}
