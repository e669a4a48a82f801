import MildamClientAPI
import MildamClientStore
import MildamIdentity

/// Looking for a text in what was said in a room, of either kind.
///
/// A step looks through as much as it can in a moment. Of the room it reads a few messages at a time, so that nothing else that
/// is asked or done there waits longer than for these.
extension ClientDispatcher {
    /// How many messages are read at once.
    private static let read = 32
    /// How many a step looks at.
    static let lookedAt = 1_000
    /// How long a step goes on.
    private static let moment = Duration.milliseconds(50)

    /// What was found in a part of a room that ends before a number, or at the room's end.
    func search(_ room: RoomID, for text: String, before end: UInt64?) async throws(RoomFault) -> ClientAnswer {
        let (sought, deadline) = (SoughtText(text), ContinuousClock.now + ClientDispatcher.moment)
        let ledger = await olderRooms().first { $0.room == room }
        var part = SearchedPart(before: end ?? .max)
        while part.count < ClientDispatcher.lookedAt {
            let messages = try await messages(of: room, ledger, before: part.before)
            guard !messages.isEmpty else { return part.answer(isLast: true) }
            for message in messages.reversed() {
                // What came under one number is looked at in one step, and the first in any case.
                let isNext = part.count > 0 && message.number < part.before
                if isNext, ContinuousClock.now >= deadline { return part.answer(isLast: false) }
                if message.has(sought) {
                    let item = await item(message)
                    guard part.take(item) else { return part.answer(isLast: false) }
                }
                part.note(message)
            }
        }
        return part.answer(isLast: false)
    }

    /// The last messages before a number, ascending; none where the room begins there.
    private func messages(
        of room: RoomID,
        _ ledger: OlderLedger?,
        before end: UInt64
    ) async throws(RoomFault) -> [SearchedMessage] {
        guard let ledger else {
            let entries = try await rooms.entries(of: room, .before(end, count: ClientDispatcher.read))
            return entries.map { .entry($0) }
        }
        guard let whole = ledger.numbers, end > whole.lowerBound else { return [] }
        let last = min(end - 1, whole.upperBound)
        let first = last - min(UInt64(ClientDispatcher.read - 1), last - whole.lowerBound)
        return try await book.olderRows(of: ledger, in: first...last).map { .older($0) }
    }

    private func item(_ message: SearchedMessage) async -> RoomItem {
        switch message {
        case .entry(let entry): await view.item(entry)
        case .older(let row): RoomItem(row, after: 0, own: await book.owner()?.account)
        }
    }
}

/// A part of a room that is being looked through, from its end.
private struct SearchedPart {
    /// Everything from this number on was looked at.
    private(set) var before: UInt64
    /// How many messages were looked at.
    private(set) var count = 0
    /// The newest first.
    private var found: [RoomItem] = []
    /// How many bytes they have in a line at most.
    private var size = 0
    /// When the earliest was said that was looked at.
    private var earliest: UInt64?

    init(before end: UInt64) { before = end }

    /// Takes what was found, where there is room for it in a line: there is for the first. A message is found once.
    mutating func take(_ item: RoomItem) -> Bool {
        guard let number = item.number, number != found.last?.number else { return true }
        let isFull = found.count >= LineLimits.window || size + item.lineSize > ClientDispatcher.windowSize
        guard found.isEmpty || !isFull else { return false }
        found.append(item)
        size += item.lineSize
        return true
    }

    /// A message was looked at.
    mutating func note(_ message: SearchedMessage) {
        before = message.number
        count += 1
        if let moment = message.moment { earliest = min(earliest ?? .max, moment) }
    }

    /// - Parameter isLast: whether the room begins there.
    func answer(isLast: Bool) -> ClientAnswer {
        .matches(items: found.reversed(), before: isLast ? nil : before, at: earliest)
    }
}
