import MildamIdentity
import MildamTerminal

let accountEndSession = ActionCommand(
    ["account", "end-session"],
    summary: "End a session of the account.",
    discussion: "It is over at once: its connections are closed, and its tokens refused.",
    operands: [Operand("SESSION", help: "Its id, as `mildam account sessions` shows it.", arity: .optional)],
    options: [OptionSpec("others", help: "End every session but this one.")],
    examples: [.init("mildam account end-session --others", "After a device was lost.")],
    exitNotes: [.init(.refused, "the account has no such session")]
) { action in
    let messenger = try await action.messenger()
    switch (action.invocation.operands["SESSION"]?.first, action.invocation.flag("others")) {
    case (nil, true):
        try await messenger.endOtherSessions()
        return try action.report.answer(["ended": "others"]) { "every other session has ended" }
    case (let text?, false):
        guard let session = try? SessionID(text) else {
            throw action.wrong("SESSION", "an id as `mildam account sessions` shows it")
        }
        try await messenger.endSession(session)
        return try action.report.answer(["ended": "\(session)"]) { "the session has ended" }
    default:
        throw action.wrong("SESSION", "a session's id, or --others")
    }
}
