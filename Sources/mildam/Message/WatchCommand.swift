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
    try result.get()
    return .done
}

/// Everything that happens, line by line.
private final class Watch: Sendable {
    private struct State {
        var connection = ConnectionMemory()
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
        case .status(let status):
            if let news = state.withLock({ $0.connection.news(of: status) }) { tell(console.style().dim(shown(news))) }
        case .room(let row, let before):
            if before?.standing != row.standing { note(row) }
        case .items(let row, let items):
            for item in items { show(item, in: row) }
        case .unsent: return
        case .notice(let row, let code, let number): tell(shown(NoticeWords.text(code, number, in: row)))
        case .wish(let row, _, .failed(let code)):
            tell(shown("what waited for \(row.title) is not done: \(RoomCodeWords.refusal(code))"))
        case .wish(let row, let id, .waiting(let code?)):
            guard state.withLock({ $0.reasons.updateValue(code, forKey: id) }) != code else { return }
            tell(shown("what waits for \(row.title) is not done yet: \(RoomCodeWords.wait(code))"))
        case .wish(_, let id, _): state.withLock { $0.reasons[id] = nil }
        case .alone(let error): tell(Report.text(of: error) + "; trying again")
        }
    }

    private func tell(_ text: String) { console.complain(text) }

    private func show(_ item: RoomItem, in row: RoomRow) {
        guard failure == nil else { return }
        do { try write(item, in: row) } catch { fail(error) }
    }

    private func write(_ item: RoomItem, in row: RoomRow) throws {
        guard !report.isJSON else {
            try report.answer(WatchAnswer(room: row.room, message: ItemAnswer(item))) { "" }
            return
        }
        try console.print(item.written(in: row, on: console, after: console.style().bold(shown(row.title)) + " "))
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

private struct WatchAnswer: Encodable {
    var room: RoomID
    var message: ItemAnswer
}
