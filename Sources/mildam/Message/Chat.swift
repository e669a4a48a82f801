import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

/// A conversation in one room: what is shown of what happens, and what becomes of what is typed.
final class Chat: Sendable {
    private struct State {
        var memory: ChatMemory
        var days = DayLines()
        /// How many texts are not sent or kept yet.
        var sending = 0
        var failure: MessengerError?
    }

    private let messenger: Messenger
    private let room: RoomSummary
    private let own: Handle
    private let terminal: LineTerminal
    private let console: Console
    private let state: Lock<State>
    private let outgoing: AsyncStream<String>.Continuation
    private let sender: Lock<Task<Void, Never>?> = Lock(nil)

    /// A conversation whose messages up to `number` are on the screen.
    init(
        _ messenger: Messenger,
        in room: RoomSummary,
        as own: Handle,
        after number: UInt64,
        on terminal: LineTerminal,
        _ console: Console
    ) {
        self.messenger = messenger
        self.room = room
        self.own = own
        self.terminal = terminal
        self.console = console
        state = Lock(State(memory: ChatMemory(shown: number)))
        let (texts, outgoing) = AsyncStream.makeStream(of: String.self)
        self.outgoing = outgoing
        let task = Task { [self] in
            for await text in texts { await send(text) }
        }
        sender.withLock { $0 = task }
    }

    /// What stands below the history.
    var greeting: String {
        "\(shown(room.name)): \(room.names). Enter sends, Ctrl-D ends, /help tells more."
    }

    private static let help = [
        "Enter sends. Alt-Enter or Ctrl-J begins a new line. Up and Down bring back what was typed.",
        "Ctrl-C empties the line. Ctrl-C or Ctrl-D in an empty line, or /quit, ends.",
        "A text that begins with / is typed with //.",
    ]

    /// Why it ended, if not by the person's will.
    var failure: MessengerError? { state.withLock { $0.failure } }

    /// Whether texts are under way still.
    var isSending: Bool { state.withLock { $0.sending > 0 } }

    /// Goes on below the history.
    ///
    /// - Parameter absence: why the relay could not be asked for it.
    func go(on days: DayLines, without absence: MessengerError?) {
        state.withLock { $0.days = days }
        if let absence { disconnected(absence) }
    }

    /// Waits until everything that was typed is sent or kept, or the time is over.
    func finish(within limit: Duration?) async {
        outgoing.finish()
        guard let limit else {
            await sender.withLock { $0 }?.value
            return
        }
        let end = ContinuousClock.now + limit
        while isSending, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }

    // MARK: What is typed

    /// Takes a line that the person wants sent.
    func submit(_ line: String) -> LineTerminal.Answer {
        switch SlashCommand(line) {
        case .nothing: return .taken()
        case .quit: return .last
        case .help: return .taken(Chat.help.map(aside))
        case .unknown(let word):
            let name = DisplayWidth.truncated(shown(word), to: 30)
            return .kept([aside("there is no \(name), and nothing was sent; begin with // to send it as a text")])
        case .text(let text):
            state.withLock { $0.sending += 1 }
            outgoing.yield(text)
            return .taken()
        }
    }

    private func send(_ text: String) async {
        defer { state.withLock { $0.sending -= 1 } }
        do throws(MessengerError) {
            if try await messenger.send(text, to: room.room.description).number == nil { return tellOfKeeping() }
        } catch .unsent(let error) {
            return say(Report.text(of: MessengerError.unsent(error)))
        } catch {
            return say("not sent: \(Report.text(of: error))")
        }
        // The live connection shows it; without one, the relay is asked. If that fails, it is shown later.
        let memory = state.withLock { $0.memory }
        guard memory.isConnected != true,
            let read = try? await messenger.read(room.room.description, .from(memory.shown + 1))
        else { return }
        for entry in read.entries { show(entry) }
    }

    private func tellOfKeeping() {
        let isNew = state.withLock { $0.memory.keeps() }
        if isNew { say("kept: the relay cannot be reached now; what you write is sent by itself later") }
    }

    // MARK: What happens

    /// Follows what happens until the task is cancelled.
    func watch() async {
        do throws(MessengerError) {
            let shown = state.withLock { $0.memory.shown }
            try await messenger.watch(after: [room.room: shown]) { self.hear($0) }
        } catch {
            end(error)
        }
    }

    private func end(_ error: MessengerError) {
        state.withLock { $0.failure = error }
        terminal.finish(saying: Report.text(of: error))
    }

    private func hear(_ event: WatchEvent) {
        switch event {
        case .entry(let room, let entry):
            if room.room == self.room.room { show(entry) } else { mention(room, entry) }
        case .invited(let room):
            let name = shown(room.name)
            say("\(room.invitedBy?.text ?? "somebody") invited you to \(name): mildam room join \(room.room)")
        case .requests(let count): say(requestLine(count))
        case .stopped(let room, let error): say(shown("\(room.name) is not read: \(error)"))
        case .removed(let room):
            if room.room == self.room.room { return end(.notAMember(room: room.name)) }
            say("you are no longer a member of \(shown(room.name))")
        case .held(let room, let error):
            say(shown("what waits for \(room.name) is not sent: \(error)"))
        case .connected:
            let isNew = state.withLock { $0.memory.connects() }
            if isNew { say("connected") }
        case .disconnected(let error, _):
            disconnected(error)
        }
    }

    private func disconnected(_ error: MessengerError) {
        let isNew = state.withLock { $0.memory.disconnects() }
        if isNew { say("not connected: \(Report.text(of: error)); trying again") }
    }

    private func show(_ entry: RoomEntry) {
        state.withLock { state in
            guard state.memory.shows(entry.number) else { return }
            terminal.show(state.days.lines(of: entry, on: console))
        }
    }

    private func mention(_ room: RoomSummary, _ entry: RoomEntry) {
        guard entry.sender != own else { return }
        state.withLock { state in
            guard state.memory.mentions(room.room) else { return }
            terminal.show([aside("(\(entry.sender?.text ?? "?") is heard in \(shown(room.name)))")])
        }
    }

    /// Says something of our own.
    private func say(_ text: String) {
        state.withLock { state in
            state.memory.interrupted()
            terminal.show([aside(text)])
        }
    }

    private func aside(_ text: String) -> String {
        TerminalText.folded(console.style().dim(text), to: console.width(), continuing: RoomEntry.continuation)
    }
}
