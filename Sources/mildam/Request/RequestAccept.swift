import MildamClientAPI
import MildamIdentity
import MildamMessenger
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
    exitNotes: [
        .init(.refused, "it is not from the account that it claims to be from, and was dropped"),
        .init(.unreachable, "it is accepted, and you are in the room later"),
    ]
) { action in
    let isJoining = action.invocation.flag("join")
    let link = try await action.client()
    let ask = ClientAsk.acceptRequest(named: action.request, isJoining: isJoining)
    guard case .accepted(let accepted) = try await action.answer(to: ask, from: link) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    var answer = AcceptAnswer(accepted, isJoining: isJoining)
    if let wish = accepted.wish {
        try await action.join(by: wish, over: link)
        answer.members = try await action.names(in: accepted.room, over: link)
    }
    let (name, names) = (shown(answer.name ?? "\(answer.room)"), answer.members.map(\.text).joined(separator: ", "))
    return try action.report.answer(answer) {
        isJoining
            ? "joined \(name): \(names)"
            : "invited by \(answer.invitedBy?.text ?? "?") to \(name): mildam room join \(answer.room)"
    }
}

extension Action {
    /// What the members of a room are called, as far as that is known.
    fileprivate func names(in room: RoomID, over link: ClientLink) async throws -> [Handle] {
        guard case .members(let members) = try await answer(to: .members(room: room), from: link) else { return [] }
        return members.compactMap(\.handle).sorted { $0.text < $1.text }
    }
}

private struct AcceptAnswer: Encodable {
    let room: RoomID
    /// Left out where it is not told yet.
    let name: String?
    let standing: String
    let invitedBy: Handle?
    var members: [Handle]

    init(_ accepted: RequestAccepted, isJoining: Bool) {
        room = accepted.room
        name = accepted.name
        standing = isJoining ? "member" : "invited"
        invitedBy = accepted.sender
        members = accepted.members
    }
}
