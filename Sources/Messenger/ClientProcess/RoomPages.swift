import MildamClientAPI
import MildamIdentity

/// A room's items, fetched from the profile's client window by window.
public struct RoomPages: Sendable {
    private let link: any ClientAsking
    private let room: RoomID

    /// The items of a room.
    public init(of room: RoomID, from link: any ClientAsking) {
        self.room = room
        self.link = link
    }

    /// Items of a room as they are now.
    public struct Reading: Sendable {
        /// Ascending by number.
        public var items: [RoomItem]
        /// What waits to be sent.
        public var unsent: [RoomItem]
        /// Whether there are earlier ones.
        public var hasEarlier: Bool
        /// The room.
        public var row: RoomRow
    }

    private struct Part {
        var items: [RoomItem]
        var unsent: [RoomItem]
        var hasBefore: Bool
        var hasAfter: Bool
        var row: RoomRow
    }

    /// How many items a window has that leaves room for what waits.
    private static let half = LineLimits.window / 2
    private static let patience = Duration.seconds(70)

    /// So many at most, the last ones.
    ///
    /// - Throws: ``ClientLinkError``.
    public func last(_ count: Int) async throws(ClientLinkError) -> Reading {
        let end = try await part(.end, before: RoomPages.half, after: 0)
        var (items, hasBefore) = (end.items, end.hasBefore)
        while hasBefore, items.count < count, let first = items.first?.number {
            // A window may begin amid what came under one number.
            let earlier = try await part(.number(at: first + 1), before: LineLimits.window, after: 0)
            items = earlier.items + items.filter { $0.number != first }
            hasBefore = earlier.hasBefore
            guard let next = items.first?.number, next < first else { break }
        }
        let whole = try await self.whole(Array(items.suffix(count)))
        let hasEarlier = hasBefore || items.count > count
        return Reading(items: whole, unsent: try await self.whole(end.unsent), hasEarlier: hasEarlier, row: end.row)
    }

    /// All from a number on.
    ///
    /// - Throws: ``ClientLinkError``.
    public func since(_ number: UInt64) async throws(ClientLinkError) -> Reading {
        var items: [RoomItem] = []
        var next = number
        while true {
            let part = try await part(.number(at: next), before: 0, after: RoomPages.half)
            guard part.hasAfter, part.unsent.isEmpty, let last = part.items.last?.number, last > next else {
                let whole = try await self.whole(items + part.items)
                let unsent = try await self.whole(part.unsent)
                return Reading(items: whole, unsent: unsent, hasEarlier: number > 1, row: part.row)
            }
            // A window may end amid what came under one number.
            items += part.items.filter { $0.number != last }
            next = last
        }
    }

    private func part(_ place: WindowPlace, before: Int, after: Int) async throws(ClientLinkError) -> Part {
        let ask = ClientAsk.openRoom(room: room, at: place, before: before, after: after)
        let answer = try await link.ask(ask, within: RoomPages.patience)
        guard case .window(let items, let hasBefore, let hasAfter, _, let row) = answer else {
            throw .misunderstood(.unknown)
        }
        return Part(
            items: items.filter { $0.number != nil || $0.key == nil },
            unsent: items.filter { $0.number == nil && $0.key != nil },
            hasBefore: hasBefore,
            hasAfter: hasAfter,
            row: row
        )
    }

    /// The same, with the whole of the texts of which a window has only the beginning.
    private func whole(_ items: [RoomItem]) async throws(ClientLinkError) -> [RoomItem] {
        var whole: [RoomItem] = []
        for item in items { whole.append(try await self.whole(item)) }
        return whole
    }

    /// An item with the whole of its text; as it is, where it waited to be sent and does not wait any more.
    ///
    /// - Throws: ``ClientLinkError``.
    public func whole(_ item: RoomItem) async throws(ClientLinkError) -> RoomItem {
        guard item.cut != nil, let ask = wholeText(of: item) else { return item }
        let answer: ClientAnswer
        do throws(ClientLinkError) {
            answer = try await link.ask(ask, within: RoomPages.patience)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .notWaiting else { throw error }
            return item
        }
        guard case .text(let text) = answer else { return item }
        var whole = item
        whole.text = text
        whole.cut = nil
        return whole
    }

    private func wholeText(of item: RoomItem) -> ClientAsk? {
        if let number = item.number { return .fullText(room: room, number: number) }
        return item.key.map { ClientAsk.unsentText(room: room, message: $0) }
    }
}
