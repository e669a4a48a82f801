import Glibc
import MildamClientAPI
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

        What is written while the relay cannot be reached is kept, shown as waiting, and sent once, in order, later. A \
        message of 100 lines or more is folded; `mildam read` shows it whole.
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
    let link = try await action.accountClient()
    let room = try await action.chosen(link)
    if let hindrance = SendWords.hindrance(in: room) { throw hindrance }
    let terminal = try LineTerminal(console: action.console)
    let reading = try await action.beginning(of: room, count, over: link)
    if let hindrance = SendWords.hindrance(in: reading.row) { throw hindrance }
    var days = DayLines()
    let lines = (reading.items + reading.unsent).flatMap { days.lines(of: $0, in: room, on: action.console) }
    // What is typed from here on is not to be waited for: all that has to be asked is asked before anything is shown.
    let (greeting, own) = (
        try await action.greeting(in: reading.row, over: link), await action.own(in: reading.row, over: link)
    )
    let chat = Chat(in: reading.row, of: own, below: days, reading.unsent, on: terminal, action.console)
    let number = max(reading.row.number ?? 0, reading.items.last?.number ?? 0)
    let watching = Task { await chat.follow(action, from: link, after: number) }
    defer { watching.cancel() }
    // It blocks its thread: one that nobody else waits for.
    let end: LineTerminal.End
    do {
        end = try await MainActor.run {
            try terminal.run(
                prompt: room.title,
                limit: Action.longestText,
                beginning: lines + [action.console.style().dim(greeting)],
                submit: chat.submit
            )
        }
    } catch {
        // The terminal failed, not the person: what they wrote is kept.
        await chat.finish(within: .seconds(2))
        terminal.discardTyped()
        throw error
    }
    try await action.leave(chat, end, terminal)
    watching.cancel()
    await watching.value
    return .done
}

extension Action {
    /// The last messages of a room, as far as the relay has them where it can be reached soon.
    fileprivate func beginning(
        of room: RoomRow,
        _ count: Int,
        over link: ClientLink
    ) async throws -> RoomPages.Reading {
        try await awaiting(nil) {
            _ = try await link.ask(.catchUp(room: room.room, seconds: 10))
            return try await RoomPages(of: room.room, from: link).last(count)
        }
    }

    /// What stands below the history.
    fileprivate func greeting(in room: RoomRow, over link: ClientLink) async throws -> String {
        var names: [String] = []
        if case .members(let members)? = try? await link.ask(.members(room: room.room)) {
            names = members.map { $0.handle?.text ?? "\($0.account)" }.sorted()
        }
        let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
        return shown(room.title + list) + ". Enter sends, Ctrl-D ends, /help tells more."
    }

    /// Who types, as the room knows them; `nil` where it does not.
    fileprivate func own(in room: RoomRow, over link: ClientLink) async -> RoomItem.Person? {
        guard let handle = try? await link.howItIs().handle,
            case .members(let members)? = try? await link.ask(.members(room: room.room)),
            let member = members.first(where: { $0.handle == handle })
        else { return nil }
        return RoomItem.Person(account: member.account, handle: handle, isOwn: true)
    }

    /// Waits until what was written is on the disk; not for long where a signal ends the program.
    fileprivate func leave(_ chat: Chat, _ end: LineTerminal.End, _ terminal: LineTerminal) async throws {
        if case .signal(let number) = end {
            await chat.finish(within: .seconds(2))
            // What was typed meanwhile was meant for the room.
            terminal.discardTyped()
            OwnSignal.raise(number)
        } else {
            await chat.finish(within: .seconds(10))
        }
        if end != .gone {
            for line in terminal.takeLines() { try console.print(line) }
            for text in chat.typed { console.complain(shown("not sent, and not kept: \(text)")) }
        }
        if let failure = chat.failure { throw failure }
    }
}
