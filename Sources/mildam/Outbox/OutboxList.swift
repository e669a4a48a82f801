import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let outboxList = ActionCommand(
    ["outbox", "list"],
    summary: "List what waits to be sent, and what could not be.",
    discussion: """
        It is sent by itself, room by room in the order in which it was written. What is under way says so, and what \
        could not be sent says why: that stays until it is dropped, or its room is forgotten.
        """,
    examples: [.init("mildam outbox list", "The beginning of each one's id, its room, and what it says.")]
) { action in
    let link = try await action.accountClient()
    let (beginnings, hasMore) = try await action.unsent(over: link)
    let waiting = try await action.whole(beginnings, over: link)
    let answer = OutboxAnswer(waiting: waiting.map(OutboxEntry.init), hasMore: hasMore ? true : nil)
    return try action.report.answer(answer) {
        if waiting.isEmpty { return "nothing waits" }
        let lines = waiting.map { message in
            let place = message.item.key.map { $0.description.prefix(OutboxEntry.placeSize) } ?? ""
            let what = message.item.text ?? message.item.file?.name ?? ""
            let room = message.name ?? "\(message.room)"
            let failure = message.failure.map { " (not sent: \(Report.text(of: $0)))" }
            let wait = message.wait.map { " (waits: \($0))" }
            let way = message.isUnderWay ? " (under way)" : failure ?? wait ?? ""
            return "\(place)  \(LocalTime(message.item.moment).text)  \(shown(room)): \(shown(what + way))"
        }
        return (lines + (hasMore ? ["and more"] : [])).joined(separator: "\n")
    }
}

/// Something that waits, as programs get it.
private struct OutboxEntry: Encodable {
    /// How much of an id is shown: enough to tell a few thousand apart.
    static let placeSize = 8

    /// The id it is sent under.
    let message: MessageID?
    let room: RoomID
    let name: String?
    let written: UInt64
    let text: String?
    /// Whether that is only the beginning of it; missing where it is all.
    let isCut: Bool?
    let file: RoomItem.File?
    /// Why it could not be sent: a code.
    let failed: String?
    /// What a file waits for, where that is more than its turn: a code.
    let waitsFor: String?
    /// Whether the relay may have it already, so that it can no longer be dropped.
    let isUnderWay: Bool

    init(_ waiting: UnsentItem) {
        message = waiting.item.key
        room = waiting.room
        name = waiting.name
        written = waiting.item.at
        text = waiting.item.text
        isCut = waiting.item.cut == nil ? nil : true
        file = waiting.item.file
        if case .failed(let code) = waiting.item.state { failed = code } else { failed = nil }
        waitsFor = waiting.waitsFor
        isUnderWay = waiting.isUnderWay
    }
}

private struct OutboxAnswer: Encodable {
    let waiting: [OutboxEntry]
    /// Whether there is more than is listed.
    let hasMore: Bool?
}

extension Action {
    /// What waits to be sent, in all rooms.
    ///
    /// - Parameter beginning: what ids begin with; `nil` for any.
    func unsent(
        over link: ClientLink,
        beginning: String? = nil
    ) async throws -> (waiting: [UnsentItem], hasMore: Bool) {
        guard case .outbox(let waiting, let hasMore) = try await link.ask(.outbox(beginning: beginning)) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        return (waiting, hasMore)
    }

    /// The same with all of each text.
    fileprivate func whole(_ waiting: [UnsentItem], over link: ClientLink) async throws -> [UnsentItem] {
        var whole = waiting
        for place in whole.indices {
            let pages = RoomPages(of: whole[place].room, from: link)
            whole[place].item = try await pages.whole(whole[place].item)
        }
        return whole
    }
}

extension UnsentItem {
    /// What a file waits for, where that is more than its turn: a code.
    fileprivate var waitsFor: String? { item.isUnsent ? item.code : nil }

    /// The same in words.
    fileprivate var wait: String? { waitsFor.map { AttachmentError.wait(for: $0) ?? $0 } }

    /// Why it could not be sent.
    fileprivate var failure: (any Error)? {
        guard case .failed(let code) = item.state else { return nil }
        let room = name ?? "\(self.room)"
        guard let file = item.file else { return SendWords.failure(code, in: room) }
        return AttachmentError.of(code, "send", file.name, in: room)
    }
}
