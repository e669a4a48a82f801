import Glibc
import MildamMessenger
import MildamTerminal

/// How many messages are shown at the start.
private let usualHistory = 20

let chatCommand = ActionCommand(
    ["chat"],
    summary: "Talk in a room: read along, and type.",
    discussion: """
        What is said in the room appears as it comes, above the line that you type. Enter sends; Alt-Enter or Ctrl-J \
        begins a new line; what is pasted is sent by Enter only. Up and Down bring back what was typed; nothing of it \
        is kept afterwards. Ctrl-C empties the line; in an empty line Ctrl-C or Ctrl-D ends, as /quit does.

        A text that begins with "/" is typed with two: "//x" sends "/x".

        What is written while the relay cannot be reached is kept, and sent once, in order, later.
        """,
    operands: [roomOperand],
    options: [
        OptionSpec("history", value: .init("N"), help: "Begin with the last N messages; 20 unless given.")
    ],
    examples: [.init("mildam chat kitchen", "Needs a terminal; programs use send, read and watch.")],
    exitNotes: [
        .init(.usage, "standard input or output is no terminal"),
        .init(.refused, "you are not, or no longer, a member of the room"),
    ]
) { action in
    guard !action.report.isJSON, isatty(STDIN_FILENO) == 1, action.console.understandsEscapes() else {
        throw action.misuse(.needsTerminal(instead: "`mildam send`, `mildam read` and `mildam watch`"))
    }
    let count = try action.invocation.integer("history", in: 0...10_000) ?? usualHistory
    let line = WaitingLine(action.console)
    let messenger = try await action.messenger(waiting: line)
    let own = try await messenger.accountSummary().handle
    let terminal = try LineTerminal(console: action.console)
    let (room, entries, absence) = try await action.begin(with: messenger, showing: count)
    let chat = Chat(messenger, in: room, as: own, after: entries.last?.number ?? 0, on: terminal, action.console)
    var days = DayLines()
    for line in entries.suffix(count).flatMap({ days.lines(of: $0, on: action.console) }) {
        try action.console.print(line)
    }
    try action.console.print(action.console.style().dim(chat.greeting))
    line.close()
    chat.go(on: days, without: absence)
    let watching = Task { await chat.watch() }
    defer { watching.cancel() }
    // It blocks its thread: one that nobody else waits for.
    let end: LineTerminal.End
    do {
        end = try await MainActor.run {
            try terminal.run(prompt: room.name, limit: Action.longestText, submit: chat.submit)
        }
    } catch {
        // The terminal failed, not the person: what they wrote is sent, or kept.
        await chat.finish(within: .seconds(2))
        terminal.discardTyped()
        throw error
    }
    watching.cancel()
    try await action.leave(chat, end, terminal)
    await watching.value
    return .done
}

extension Action {
    /// The room and its messages; from this machine alone, and why, when the relay is away.
    fileprivate func begin(
        with messenger: Messenger,
        showing count: Int
    ) async throws(MessengerError) -> (room: RoomSummary, entries: [RoomEntry], absence: MessengerError?) {
        let name = room
        // The last one that is there is needed, to go on after it.
        let range = ReadingRange.last(UInt64(max(1, count)))
        do throws(MessengerError) {
            let read = try await messenger.read(name, range)
            switch read.trouble {
            // What is left is taken in while one watches.
            case .behind, nil: return (read.room, read.entries, nil)
            case let trouble?: throw trouble
            }
        } catch .transport(let error) {
            // A relay that is not the one it should be is not one that is away.
            if case .tls = error { throw .transport(error) }
            let read = try await messenger.read(name, range, fetching: false)
            return (read.room, read.entries, .transport(error))
        }
    }

    /// Waits until what was written is sent, or kept; not for long where a signal ends the program.
    fileprivate func leave(_ chat: Chat, _ end: LineTerminal.End, _ terminal: LineTerminal) async throws {
        if case .signal(let number) = end {
            await chat.finish(within: .seconds(2))
            // What was typed meanwhile was meant for the room.
            terminal.discardTyped()
            OwnSignal.raise(number)
        } else {
            if chat.isSending { console.complain(console.style().dim("sending what you wrote…")) }
            await chat.finish(within: nil)
        }
        if end != .gone { for line in terminal.takeLines() { try console.print(line) } }
        if let failure = chat.failure { throw failure }
    }
}
