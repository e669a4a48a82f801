import MildamMessenger
import MildamTerminal

/// How many messages are shown unless a person says from where on.
private let usualHistory: UInt64 = 1_000

let readCommand = ActionCommand(
    ["read"],
    summary: "Show a room's messages.",
    discussion: """
        Shows the newest 1,000, or all from --since on. One command takes in 2,000 messages that are new at the relay; when \
        there are more, it says so, shows what it has, and the next one goes on.
        """,
    operands: [roomOperand],
    options: [
        OptionSpec("since", value: .init("NUMBER"), help: "Begin with this message."),
        OptionSpec("offline", help: "Show what is on this machine, without asking the relay."),
    ],
    examples: [.init("mildam read kitchen --since 120 --json", "For a program.")],
    exitNotes: [
        .init(.damaged, "a message was refused: damaged, forged, or out of place"),
        .init(.unreachable, "there is more to take in: say it again"),
    ]
) { action in
    let since = try action.invocation.integer("since", in: 0...UInt64.max)
    let read = try await action.messenger().read(
        action.room,
        since.map { .from($0) } ?? .last(usualHistory),
        fetching: !action.invocation.flag("offline")
    )
    try action.report.answer(ReadAnswer(read, isCut: since == nil && read.earlier > 0)) {
        var days = DayLines()
        let isCut = since == nil && read.earlier > 0
        return
            ((isCut ? [action.console.style().dim("\(read.earlier) earlier messages: --since 1 shows all")] : [])
            + read.entries.flatMap { days.lines(of: $0, on: action.console) }).joined(separator: "\n")
    }
    if let status = action.report.ended(with: read.trouble) { return status }
    let refused = read.entries.filter(\.isRefused).count
    guard refused > 0 else { return .done }
    action.report.note("\(refused) message(s) refused: damaged, forged, or out of place")
    return .damaged
}

private struct ReadAnswer: Encodable {
    var room: RoomSummary
    var messages: [EntryAnswer]
    /// How many earlier ones are not shown, if any.
    var earlier: UInt64?
    /// What is still to be taken in, if anything is known of it.
    var backlog: Backlog?
    /// Why it is not all, or nothing can be sent there now.
    var trouble: String?

    init(_ read: RoomReading, isCut: Bool) {
        room = read.room
        messages = read.entries.map(EntryAnswer.init)
        earlier = isCut ? read.earlier : nil
        if case .behind(let backlog) = read.trouble { self.backlog = backlog }
        trouble = read.trouble.map(Report.text)
    }
}
