import MildamTerminal

let outboxList = ActionCommand(
    ["outbox", "list"],
    summary: "List what waits to be sent.",
    examples: [.init("mildam outbox list", "The place of each, its room, and what it says.")]
) { action in
    let waiting = try await action.messenger().outbox()
    return try action.report.answer(["waiting": waiting]) {
        if waiting.isEmpty { return "nothing waits" }
        return waiting.map { message in
            let time = LocalTime(message.written)
            return "\(message.place)  \(time.text)  \(shown(message.room)): \(shown(message.text))"
        }.joined(separator: "\n")
    }
}
