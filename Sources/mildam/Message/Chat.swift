import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

/// A conversation in one room: what is shown of what happens, and what becomes of what is typed.
final class Chat: Sendable {
    /// What was typed, and the id that it is said under.
    private struct Typed {
        let id: MessageID
        let text: String
    }

    private struct State {
        var days: DayLines
        var connection = ConnectionMemory()
        var link: ClientLink?
        /// What was typed and is not on the disk yet.
        var typed: [Typed] = []
        /// What was typed here and has not come back under its number.
        var said: [MessageID: String] = [:]
        /// What is on the disk and waits to be sent.
        var unsent: [MessageID: RoomItem] = [:]
        /// What of it is on the screen.
        var shown: Set<MessageID>
        /// Why the relay cannot be reached; `nil` while it can.
        var absence: String?
        /// Why the person was told that what they write waits: once each, until the relay is there again.
        var reasons: Set<String> = []
        /// Rooms that somebody unknown wants this account in.
        var requests: Set<RoomID> = []
        /// The other room that was mentioned last, when nothing has been shown since.
        var mentioned: RoomID?
        var failure: (any Error)?
    }

    private let room: RoomRow
    private let own: RoomItem.Person?
    private let terminal: LineTerminal
    private let console: Console
    private let state: Lock<State>
    private let outgoing: AsyncStream<Typed>.Continuation
    private let sender: Lock<Task<Void, Never>?> = Lock(nil)

    /// How long a client may take to put a text on the disk, until it is asked again.
    private static let answering = Duration.seconds(20)
    /// How long that may take before a text is shown as waiting.
    private static let patience = Duration.seconds(3)
    /// How long something may wait before it is shown as waiting: most is sent before.
    private static let moment = Duration.milliseconds(1_500)

    /// A conversation below its history.
    ///
    /// - Parameters:
    ///   - own: who types, where that is known.
    ///   - shown: what waits and is on the screen already.
    init(
        in room: RoomRow,
        of own: RoomItem.Person?,
        below days: DayLines,
        _ shown: [RoomItem],
        on terminal: LineTerminal,
        _ console: Console
    ) {
        self.room = room
        self.own = own
        self.terminal = terminal
        self.console = console
        state = Lock(State(days: days, shown: Set(shown.compactMap(\.key))))
        let (texts, outgoing) = AsyncStream.makeStream(of: Typed.self)
        self.outgoing = outgoing
        let task = Task { [self] in
            for await text in texts { await send(text) }
        }
        sender.withLock { $0 = task }
    }

    private static let help = [
        "Enter sends. Alt-Enter or Ctrl-J begins a new line. Up and Down bring back what was typed.",
        "Ctrl-C empties the line. Ctrl-C or Ctrl-D in an empty line, or /quit, ends.",
        "A text that begins with / is typed with //.",
    ]

    /// Why it ended, if not by the person's will.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// What was typed and is not on the disk yet.
    var typed: [String] { state.withLock { $0.typed.map(\.text) } }

    /// Waits until everything that was typed is on the disk, or the time is over.
    func finish(within limit: Duration) async {
        outgoing.finish()
        let end = ContinuousClock.now + limit
        while !typed.isEmpty, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
        sender.withLock { $0 }?.cancel()
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
            let told = "there is no \(name), and nothing was sent; Up brings it back, // before it sends it as a text"
            return .taken([aside(told)])
        case .text(let text):
            let typed = Typed(id: .random(), text: text)
            state.withLock { state in
                state.typed.append(typed)
                state.said[typed.id] = text
            }
            outgoing.yield(typed)
            Task {
                try? await Task.sleep(for: Chat.patience)
                showUntaken(typed)
            }
            return .taken()
        }
    }

    /// Puts a text on the disk, with the client that runs or the next one: it is said once.
    private func send(_ typed: Typed) async {
        while !Task.isCancelled {
            guard let link = state.withLock({ $0.link }) else {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            do throws(ClientLinkError) {
                try await link.say(typed.text, in: room.room, as: typed.id, within: Chat.answering)
                state.withLock { _ = $0.typed.removeFirst() }
                return
            } catch {
                switch error.recourse {
                case .never:
                    state.withLock { _ = $0.typed.removeFirst() }
                    return say("not sent: \(typed.text): \(Report.text(of: error))")
                // It is whole, and who follows hears of no other.
                case .sameClient: continue
                case .later: try? await Task.sleep(for: .seconds(1))
                // Its connection has ended, of which who follows hears, too, and has another.
                case .nextClient:
                    state.withLock { state in
                        guard state.link === link else { return }
                        state.link = nil
                    }
                }
            }
        }
    }

    /// Shows a text as waiting that no client has taken on for a while, and once what that may be.
    private func showUntaken(_ typed: Typed) {
        let item = RoomItem(
            key: typed.id,
            at: UInt64(clamping: WallClock.system.milliseconds),
            author: own,
            kind: .text,
            text: typed.text,
            state: .waiting
        )
        let reason = "another program may work with this profile"
        let isNew = state.withLock { state in
            guard state.typed.contains(where: { $0.id == typed.id }), state.shown.insert(typed.id).inserted else {
                return false
            }
            terminal.show(state.days.lines(of: item, in: room, on: console))
            return state.reasons.insert(reason).inserted
        }
        if isNew { say("waiting: \(reason); what you write is sent once it has ended") }
    }

    // MARK: What happens

    /// Follows what happens until the task is cancelled.
    ///
    /// - Parameter number: the last one on the screen.
    func follow(_ action: Action, from link: ClientLink, after number: UInt64) async {
        var follower = action.follower(after: [room.room: number]) { [self] in await hear($0) }
        do { try await follower.follow(from: link) } catch { end(error) }
    }

    private func end(_ error: any Error) {
        state.withLock { $0.failure = error }
        terminal.finish(saying: Report.text(of: error))
    }

    private func hear(_ event: RoomFollower.Event) async {
        switch event {
        case .link(let link): state.withLock { $0.link = link }
        case .status(let status): take(status)
        case .room(let row, let before):
            if before?.standing != row.standing { note(row) }
        case .items(let row, let items):
            guard row.room == room.room else { return mention(row, items) }
            for item in items { show(item) }
        case .unsent(let row, let items): if row.room == room.room { wait(for: items) }
        case .notice(let row, let code, let number):
            if row.room == room.room, code == "removed" { return end(MessengerError.notAMember(room: room.title)) }
            say(NoticeWords.text(code, number, in: row))
        case .wish(let row, let id, let outcome): if row.room == room.room { take(outcome, of: id) }
        case .alone(let error): say("\(Report.text(of: error)); trying again")
        }
    }

    private func take(_ status: ClientStatus) {
        let absence = status.isConnected ? nil : status.fault.map { ConnectionWords.short(of: $0) }
        let (news, unsent) = state.withLock { state in
            state.absence = absence
            if status.isConnected { state.reasons = [] }
            return (state.connection.news(of: status), Array(state.unsent.values))
        }
        if let news { say(news) }
        if let skew = Action.skewNews(of: status) { say("\(skew)") }
        if let absence { showUnsent(unsent, because: absence) }
    }

    private func take(_ outcome: WishOutcome, of wish: MessageID) {
        switch outcome {
        case .failed(let code):
            let text = state.withLock { state in
                let (item, text) = (state.unsent.removeValue(forKey: wish), state.said.removeValue(forKey: wish))
                return text ?? item?.text
            }
            guard let text else { return }
            say("not sent: \(text): \(Report.text(of: SendWords.failure(code, in: room.title)))")
        case .waiting(let code?):
            guard let item = state.withLock({ $0.unsent[wish] }) else { return }
            showUnsent([item], because: SendWords.waiting(for: code))
        case .waiting, .moving, .done, .unknown: return
        }
    }

    private func show(_ item: RoomItem) {
        state.withLock { state in
            if let key = item.key {
                state.unsent[key] = nil
                state.said[key] = nil
            }
            state.mentioned = nil
            terminal.show(state.days.lines(of: item, in: room, on: console))
        }
    }

    // MARK: What waits

    /// Something waits to be sent: where that takes more than a moment, it is shown.
    private func wait(for items: [RoomItem]) {
        let absence = state.withLock { state in
            for item in items { if let key = item.key { state.unsent[key] = item } }
            return state.absence
        }
        if let absence { return showUnsent(items, because: absence) }
        Task {
            try? await Task.sleep(for: Chat.moment)
            let absence = state.withLock { $0.absence }
            showUnsent(items, because: absence ?? ConnectionWords.short(of: nil))
        }
    }

    /// Shows what still waits, once each, and why once.
    private func showUnsent(_ items: [RoomItem], because reason: String) {
        let isNew = state.withLock { state in
            let waiting = items.filter { item in item.key.map { state.unsent[$0] != nil } ?? false }
            guard !waiting.isEmpty else { return false }
            for item in waiting.sorted(by: { $0.at < $1.at }) {
                guard let key = item.key, state.shown.insert(key).inserted else { continue }
                terminal.show(state.days.lines(of: item, in: room, on: console))
            }
            return state.reasons.insert(reason).inserted
        }
        if isNew { say("kept: \(reason); what you write is sent by itself later") }
    }

    // MARK: What is said beside the room

    private func note(_ row: RoomRow) {
        if row.standing == .invited { say("you are invited to \(row.title): mildam room join \(row.room)") }
        let count: Int? = state.withLock { state in
            guard row.standing == .request else {
                state.requests.remove(row.room)
                return nil
            }
            return state.requests.insert(row.room).inserted ? state.requests.count : nil
        }
        if let count { say(requestLine(count)) }
    }

    private func mention(_ row: RoomRow, _ items: [RoomItem]) {
        let said = items.last { $0.author?.isOwn == false && ($0.kind == .text || $0.kind == .file) }
        guard let name = said?.author?.name else { return }
        state.withLock { state in
            guard state.mentioned != row.room else { return }
            state.mentioned = row.room
            terminal.show([aside("(\(name) is heard in \(row.title))")])
        }
    }

    /// Says something of our own.
    private func say(_ text: String) {
        state.withLock { state in
            state.mentioned = nil
            terminal.show([aside(text)])
        }
    }

    private func aside(_ text: String) -> String {
        let told = console.style().dim(shown(text))
        return TerminalText.folded(told, to: console.width(), continuing: RoomItem.continuation)
    }
}
