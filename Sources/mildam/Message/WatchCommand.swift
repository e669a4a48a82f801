import MildamIdentity
import MildamTerminal

let watchCommand = ActionCommand(
    ["watch"],
    summary: "Show what is said in all rooms, as it comes.",
    discussion: "Ctrl-C ends it. When the connection breaks, it comes back by itself.",
    examples: [.init("mildam watch", "Also sends what waits in the outbox.")]
) { action in
    let (console, isJSON) = (action.console, action.report.isJSON)
    let style = console.style()
    try await action.messenger(waiting: nil).watch { event in
        switch event {
        case .entry(let room, let entry):
            if isJSON {
                _ = try? Report(console: console, isJSON: true).answer(
                    WatchAnswer(room: room.room, message: EntryAnswer(entry))
                ) { "" }
            } else {
                try? console.print(entry.text(on: console, after: style.bold(shown(room.name)) + " "))
            }
        case .invited(let room):
            console.complain(
                "\(room.invitedBy?.text ?? "somebody") invited you to \(shown(room.name)): mildam room join \(room.room)"
            )
        case .requests(let count): console.complain(requestLine(count))
        case .stopped(let room, let error): console.complain(shown("\(room.name) is not read: \(error)"))
        case .removed(let room): console.complain("you are no longer a member of \(shown(room.name))")
        case .held(let room, let error):
            console.complain(shown("what waits for \(room.name) is not sent: \(error)"))
        case .connected: console.complain(style.dim("connected"))
        case .disconnected(let error, let seconds):
            console.complain(style.dim("\(Report.text(of: error)); trying again in \(Int(seconds.rounded(.up))) s"))
        }
    }
    return .done
}

private struct WatchAnswer: Encodable {
    var room: RoomID
    var message: EntryAnswer
}
