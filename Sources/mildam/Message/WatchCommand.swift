import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

let watchCommand = ActionCommand(
    ["watch"],
    summary: "Show what is said in all rooms, as it comes.",
    discussion: """
        Ctrl-C ends it; so does a program that no longer reads what is shown. When the connection breaks, or the client \
        is replaced, it comes back by itself; nothing is left out, and nothing shown twice.

        With --json each line is an object of some kind: "message" is what was said, or could not be read; "members", \
        "renamed", "renewed", "settings" and "change" are what else happened in a room, with the item in "message" as \
        `mildam read --json` has it. "standing" says how you stand to a room from here on: invited, asked as by a \
        "request", in it, put out. "trouble" and "trouble-over" are about a room, "waits" and "failed" about what you \
        wished for there; "connected", "not-connected" and "client-ended" about the way to the relay. Where there is a \
        cause, it is in "code", and words for it in "text". "session-ended" is the last: `mildam account login`.
        """,
    examples: [.init("mildam watch", "Also sends what waits in the outbox.")]
) { action in
    let link = try await action.accountClient()
    let watch = Watch(action.console, action.report)
    let following = Task {
        var follower = action.follower { await watch.hear($0) }
        try await follower.follow(from: link)
    }
    watch.endsIfNobodyReads { following.cancel() }
    let result = await following.result
    if let failure = watch.failure { throw failure }
    do { try result.get() } catch {
        watch.end(with: error)
        throw error
    }
    return .done
}

/// Everything that happens, line by line.
private final class Watch: Sendable {
    private struct State {
        var connection = ConnectionMemory()
        /// Whether no client was asked yet.
        var isFirstLink = true
        /// Rooms that somebody unknown wants this account in.
        var requests: Set<RoomID> = []
        /// What each wish waits for, as it was told last.
        var reasons: [MessageID: String] = [:]
        /// Why nothing can be shown any more.
        var failure: (any Error)?
        /// Ends it.
        var end: (@Sendable () -> Void)?
    }

    private let console: Console
    private let report: Report
    private let state = Lock(State())

    init(_ console: Console, _ report: Report) {
        self.console = console
        self.report = report
    }

    /// Why it has ended by itself; `nil` where it has not.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Has it ended once what is shown is taken by nobody any more.
    func endsIfNobodyReads(_ end: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            state.end = end
            return state.failure != nil
        }
        if hasEnded { end() }
    }

    private func fail(_ error: any Error) {
        let end = state.withLock { state in
            state.failure = state.failure ?? error
            return state.end
        }
        end?()
    }

    func hear(_ event: RoomFollower.Event) async {
        switch event {
        case .link(let link):
            let rows = (try? await link.allRows()) ?? []
            note(Set(rows.filter { $0.standing == .request }.map(\.room)))
            // From then on it is told when one stands otherwise.
            let isFirst = state.withLock { state in
                defer { state.isFirstLink = false }
                return state.isFirstLink
            }
            guard isFirst else { return }
            for row in rows where row.isOffered { write(WatchEvent(standingTo: row)) }
        case .status(let status): note(status)
        case .room(let row, let before):
            if before?.standing != row.standing {
                note(row)
                write(WatchEvent(standingTo: row))
            }
            if before?.warning != nil, row.warning == nil { write(WatchEvent(.troubleIsOver, in: row)) }
        case .items(let row, let items):
            for item in items { show(item, in: row) }
        case .unsent: return
        case .notice(let row, let code, let number):
            let words = NoticeWords.text(code, number, in: row)
            tell(shown(words))
            // That one was put out is told by how one stands to the room.
            if code != "removed" { write(WatchEvent(.trouble, in: row, code: code, number: number, words)) }
        case .wish(let row, let id, .failed(let code)):
            let words = RoomCodeWords.refusal(code)
            tell(shown("what waited for \(row.title) is not done: \(words)"))
            write(WatchEvent(.failed, in: row, code: code, wish: id, words))
        case .wish(let row, let id, .waiting(let code?)):
            guard state.withLock({ $0.reasons.updateValue(code, forKey: id) }) != code else { return }
            let words = RoomCodeWords.wait(code)
            tell(shown("what waits for \(row.title) is not done yet: \(words)"))
            write(WatchEvent(.waits, in: row, code: code, wish: id, words))
        case .wish(_, let id, _): state.withLock { $0.reasons[id] = nil }
        case .alone(let error):
            tell(Report.text(of: error) + "; trying again")
            write(WatchEvent(kind: .clientEnded, text: Report.text(of: error)))
        }
    }

    /// It ends with this error; a program is told of a session that has ended.
    func end(with error: any Error) {
        guard let end = error as? MessengerError, case .notLoggedIn = end else { return }
        write(WatchEvent(kind: .sessionEnded, code: "not-logged-in", text: "\(end)"))
    }

    /// The relay is reached, or is not any more.
    private func note(_ status: ClientStatus) {
        if let skew = Action.skewNews(of: status) { tell("mildam: \(skew)") }
        guard let news = state.withLock({ $0.connection.news(of: status) }) else { return }
        tell(console.style().dim(shown(news)))
        let kind = status.isConnected ? WatchEvent.Kind.connected : .notConnected
        let code = status.isConnected ? nil : status.fault?.code.rawValue
        write(WatchEvent(kind: kind, code: code, text: news))
    }

    private func tell(_ text: String) { console.complain(text) }

    private func show(_ item: RoomItem, in row: RoomRow) {
        guard !report.isJSON else { return write(WatchEvent(item, in: row)) }
        guard failure == nil else { return }
        let beginning = console.style().bold(shown(row.title)) + " "
        do { try console.print(item.written(in: row, on: console, after: beginning)) } catch { fail(error) }
    }

    /// Tells a program.
    private func write(_ event: WatchEvent) {
        guard report.isJSON, failure == nil else { return }
        do { try report.answer(event) { "" } } catch { fail(error) }
    }

    /// One is invited, or not any more.
    private func note(_ row: RoomRow) {
        if row.standing == .invited { tell(shown("you are invited to \(row.title): mildam room join \(row.room)")) }
        var requests = state.withLock { $0.requests }
        if row.standing == .request { requests.insert(row.room) } else { requests.remove(row.room) }
        note(requests)
    }

    /// So many of people that this profile does not know ask.
    private func note(_ requests: Set<RoomID>) {
        let isNew = state.withLock { state in
            defer { state.requests = requests }
            return !requests.isSubset(of: state.requests)
        }
        if isNew { tell(requestLine(requests.count)) }
    }
}
