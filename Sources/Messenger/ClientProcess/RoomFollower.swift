import MildamClientAPI
import MildamIdentity

/// What happens in the rooms of a profile, as its client tells it; from the next client where one ends or is replaced. No item is
/// told twice, and none is left out.
public struct RoomFollower: Sendable {
    /// What is told.
    public enum Event: Sendable {
        /// This client is asked from here on.
        case link(ClientLink)
        /// How the client is.
        case status(ClientStatus)
        /// A room is otherwise, or new; how it was before.
        case room(RoomRow, before: RoomRow?)
        /// New items of a room that one is in, or was in.
        case items(RoomRow, [RoomItem])
        /// What waits to be sent in a room.
        case unsent(RoomRow, [RoomItem])
        /// Something to be told once: a code, and the number that goes with it.
        case notice(RoomRow, code: String, number: UInt64?)
        /// What came of a wish, or what it waits for.
        case wish(RoomRow, MessageID, WishOutcome)
        /// The client has ended, and no other could be had yet.
        case alone(any Error)
    }

    private let next: @Sendable () async throws -> ClientLink
    private let hear: @Sendable (Event) async -> Void
    private var rows: [RoomID: RoomRow] = [:]
    private var shown: [RoomID: ShownNumbers]
    private var revision: UInt64?
    private var isFirst = true

    /// The longest wait between two attempts to have a client.
    private static let longestPause = Duration.seconds(8)

    /// Follows rooms.
    ///
    /// - Parameters:
    ///   - shown: rooms of which what comes after a number is told; of others, what is new from here on.
    ///   - next: gives the client that runs after one has ended.
    ///   - hear: called with each event, one after the other.
    public init(
        after shown: [RoomID: UInt64] = [:],
        next: @escaping @Sendable () async throws -> ClientLink,
        hear: @escaping @Sendable (Event) async -> Void
    ) {
        self.next = next
        self.hear = hear
        self.shown = shown.mapValues { ShownNumbers(after: $0) }
    }

    /// Follows until the task is cancelled.
    ///
    /// - Parameter link: the client that is asked first.
    /// - Throws: ``ClientLinkError/misunderstood(_:)``, where a client is of another version; `MessengerError.notLoggedIn`, where
    ///   the session has ended: only a person can go on from there.
    public mutating func follow(from link: ClientLink) async throws {
        var present: ClientLink? = link
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do {
                let link = if let present { present } else { try await next() }
                present = nil
                pause = .milliseconds(250)
                try await follow(link)
            } catch {
                if error is CancellationError { return }
                let failure = error as? ClientLinkError
                if failure?.isOfOtherVersion == true || error is MessengerError { throw error }
                if failure != ClientLinkError.ended { await hear(.alone(error)) }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, RoomFollower.longestPause)
            }
        }
    }

    /// Follows as long as a client goes on.
    private mutating func follow(_ link: ClientLink) async throws {
        let events = try await link.subscribe()
        revision = nil
        await hear(.link(link))
        try await look(around: link)
        for await event in events {
            switch event {
            case .resync: try await look(around: link)
            case .changes(let number, let changes):
                let isNext = revision.map { number == $0 + 1 } ?? true
                revision = number
                guard isNext else {
                    try await look(around: link)
                    continue
                }
                for change in changes { try await take(change, over: link) }
            }
        }
    }

    /// Asks for everything anew, and tells what is new of it.
    private mutating func look(around link: ClientLink) async throws {
        let present = try await link.allRows()
        let isBeginning = isFirst
        isFirst = false
        for row in present {
            if isBeginning {
                rows[row.room] = row
                let known = row.isOffered ? 0 : row.number ?? 0
                if shown[row.room] == nil { shown[row.room] = ShownNumbers(after: known) }
            }
            try await take(row, over: link)
        }
        let answer = try await link.ask(.status)
        guard case .status(let status) = answer else { throw ClientLinkError.misunderstood(.unknown) }
        try await tell(status)
    }

    private mutating func take(_ change: ClientChange, over link: ClientLink) async throws {
        switch change {
        case .room(let row): try await take(row, over: link)
        case .roomGone(let room): rows[room] = nil
        case .items(let room, let upsert, _):
            guard let row = try await self.row(room, over: link) else { return }
            try await tell(upsert, of: row, over: link)
        case .status(let status): try await tell(status)
        case .notice(let room, let code, let number, _):
            guard let row = try await self.row(room, over: link) else { return }
            await hear(.notice(row, code: code, number: number))
        case .wish(let room, let id, let outcome):
            guard let row = try await self.row(room, over: link) else { return }
            await hear(.wish(row, id, outcome))
        }
    }

    private func tell(_ status: ClientStatus) async throws {
        guard status.fault?.code.rawValue != RoomFault(.notLoggedIn).code else { throw MessengerError.notLoggedIn }
        await hear(.status(status))
    }

    /// A room's row, which may be new.
    private func row(_ room: RoomID, over link: ClientLink) async throws(ClientLinkError) -> RoomRow? {
        if let row = rows[room] { return row }
        return try await link.allRows().first { $0.room == room }
    }

    /// A room is so now: what was not told of it is.
    private mutating func take(_ row: RoomRow, over link: ClientLink) async throws(ClientLinkError) {
        let before = rows.updateValue(row, forKey: row.room)
        if row != before { await hear(.room(row, before: before)) }
        let known = shown[row.room]?.last ?? 0
        guard !row.isOffered, let number = row.number, number > known else { return }
        let reading = try await RoomPages(of: row.room, from: link).since(known + 1)
        try await tell(reading.items + reading.unsent, of: row, over: link)
        shown[row.room]?.look(through: number)
    }

    private mutating func tell(
        _ items: [RoomItem],
        of row: RoomRow,
        over link: ClientLink
    ) async throws(ClientLinkError) {
        // What strangers say is not shown before one has come in.
        guard !row.isOffered else { return }
        var known = shown[row.room] ?? ShownNumbers(after: 0)
        var new: [RoomItem] = []
        for item in items where known.shows(item) {
            new.append(try await RoomPages(of: row.room, from: link).whole(item))
        }
        shown[row.room] = known
        if !new.isEmpty { await hear(.items(row, new)) }
        let unsent = items.filter(\.isUnsent)
        if !unsent.isEmpty { await hear(.unsent(row, unsent)) }
    }
}

extension ClientLinkError {
    /// Whether the client speaks otherwise than this program does.
    public var isOfOtherVersion: Bool {
        if case .misunderstood = self { true } else { false }
    }
}
