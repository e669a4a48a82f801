import MildamIdentity
import MildamTerminal

let requestBlock = ActionCommand(
    ["request", "block"],
    summary: "Hear nothing more from an account.",
    discussion:
        "Its requests are dropped, those that come later as well. It is told nothing. The relay is told that you block it, "
        + "once it can be reached, and stores no more of what it sends you. Rooms that you share with it stay as they are: "
        + "leave them, or put it out.",
    operands: [Operand("REQUEST", help: "The request's number, or the handle of who asks or of a contact.")],
    options: [OptionSpec("undo", help: "Let the account of this handle write again.")],
    examples: [
        .init("mildam request block mallory", "`mildam request list` names who is blocked."),
        .init("mildam request block mallory --undo", "She can ask again."),
    ]
) { action in
    let messenger = try await action.messenger()
    guard action.invocation.flag("undo") else {
        let handle = try await messenger.block(action.request)
        return try action.report.answer(["blocked": handle]) { "blocked \(handle)" }
    }
    guard let handle = try? Handle(action.request) else {
        throw action.wrong("REQUEST", "the handle of who is blocked")
    }
    try await messenger.unblock(handle)
    return try action.report.answer(["unblocked": handle]) { "\(handle) can ask again" }
}
