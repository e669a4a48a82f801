import Glibc
import MildamMessenger
import MildamTerminal

extension Action {
    /// How many messages are shown at the start.
    private static let usualHistory = 20

    func chat() async throws -> ExitStatus {
        guard !report.isJSON, isatty(STDIN_FILENO) == 1, console.understandsEscapes() else {
            throw UsageError(
                .needsTerminal(instead: "`mildam send`, `mildam read` and `mildam watch`"),
                command: "mildam chat"
            )
        }
        let count = try invocation.integer("history", in: 0...10_000) ?? Action.usualHistory
        let messenger = try await messenger()
        let own = try await messenger.accountSummary().handle
        let terminal = try LineTerminal(console: console)
        let (room, entries, absence) = try await begin(with: messenger)
        let chat = Chat(messenger, in: room, as: own, after: entries.last?.number ?? 0, on: terminal, console)
        var days = DayLines()
        for line in entries.suffix(count).flatMap({ days.lines(of: $0, on: console) }) { try console.print(line) }
        try console.print(console.style().dim(chat.greeting))
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
            throw error
        }
        watching.cancel()
        try await leave(chat, end, terminal)
        await watching.value
        return .done
    }

    /// The room and its messages; from this machine alone, and why, when the relay is away.
    private func begin(
        with messenger: Messenger
    ) async throws(MessengerError) -> (room: RoomSummary, entries: [RoomEntry], absence: MessengerError?) {
        let name = invocation.operand("ROOM")
        do throws(MessengerError) {
            let (room, entries) = try await messenger.read(name)
            return (room, entries, nil)
        } catch .transport(let error) {
            // A relay that is not the one it should be is not one that is away.
            if case .tls = error { throw .transport(error) }
            let (room, entries) = try await messenger.read(name, fetching: false)
            return (room, entries, .transport(error))
        }
    }

    /// Waits until what was written is sent, or kept; not for long where a signal ends the program.
    private func leave(_ chat: Chat, _ end: LineTerminal.End, _ terminal: LineTerminal) async throws {
        if case .signal(let number) = end {
            await chat.finish(within: .seconds(2))
            OwnSignal.raise(number)
        } else {
            if chat.isSending { console.complain(console.style().dim("sending what you wrote…")) }
            await chat.finish(within: nil)
        }
        if end != .gone { for line in terminal.takeLines() { try console.print(line) } }
        if let failure = chat.failure { throw failure }
    }
}
