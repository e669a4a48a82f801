import MildamTerminal

let accountSessions = ActionCommand(
    ["account", "sessions"],
    summary: "List where the account is logged in.",
    examples: [.init("mildam account sessions", "One line for each device.")]
) { action in
    let sessions = try await action.messenger().sessions()
    return try action.report.answer(sessions) {
        sessions.map { session in
            let mark = session.isCurrent ? "  this one" : ""
            return
                "\(session.session)  begun \(LocalTime(seconds: session.begun).text)  last used \(LocalTime(seconds: session.refreshed).text)\(mark)"
        }.joined(separator: "\n")
    }
}
