import MildamTerminal

let requestAccept = ActionCommand(
    ["request", "accept"],
    summary: "Take a request for an invitation, and its sender for somebody you know.",
    discussion: "The relay is told that you know the sender, so that what they send has a place in your mailbox.",
    operands: [requestOperand],
    options: [OptionSpec("join", help: "Join the room at once.")],
    examples: [
        .init("mildam request accept alice --join", "You are in her room."),
        .init("mildam request accept 3", "It is an invitation now: `mildam room join` accepts that."),
    ],
    exitNotes: [.init(.refused, "it is not from the account that it claims to be from, and was dropped")]
) { action in
    let joining = action.invocation.flag("join")
    let room = try await action.messenger().acceptRequest(action.request, joining: joining)
    return try action.report.answer(room) {
        joining
            ? "joined \(shown(room.name)): \(room.names)"
            : "invited by \(room.invitedBy?.text ?? "?") to \(shown(room.name)): mildam room join \(room.room)"
    }
}
