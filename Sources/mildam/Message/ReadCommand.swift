import MildamMessenger
import MildamTerminal

let readCommand = ActionCommand(
    ["read"],
    summary: "Show a room's messages.",
    operands: [roomOperand],
    options: [
        OptionSpec("since", value: .init("NUMBER"), help: "Begin with this message."),
        OptionSpec("offline", help: "Show what is on this machine, without asking the relay."),
    ],
    examples: [.init("mildam read kitchen --since 120 --json", "For a program.")],
    exitNotes: [.init(.damaged, "a message was refused: damaged, forged, or out of place")]
) { action in
    let since = try action.invocation.integer("since", in: 0...UInt64.max) ?? 1
    let (room, entries) = try await action.messenger().read(
        action.room,
        from: since,
        fetching: !action.invocation.flag("offline")
    )
    try action.report.answer(ReadAnswer(room: room, messages: entries.map(EntryAnswer.init))) {
        var days = DayLines()
        return entries.flatMap { days.lines(of: $0, on: action.console) }.joined(separator: "\n")
    }
    let refused = entries.filter(\.isRefused).count
    guard refused > 0 else { return .done }
    action.report.note("\(refused) message(s) refused: damaged, forged, or out of place")
    return .damaged
}

private struct ReadAnswer: Encodable {
    var room: RoomSummary
    var messages: [EntryAnswer]
}
