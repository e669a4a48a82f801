import MildamClientAPI
import MildamTerminal

/// Finds the room that a person means: by its id, by its name, or by the beginning of its id.
struct RoomSearch {
    /// What is meant first by a name that several rooms have.
    enum Meaning {
        /// A room that one is in.
        case own
        /// A room that one is invited to.
        case invitation
        /// A room that one was in.
        case past
        /// A room of the first kind.
        case older
    }

    /// The fewest characters of an id that count as its beginning.
    private static let fewest = 4

    /// All rooms.
    let rows: [RoomRow]

    /// The room that is meant.
    ///
    /// - Throws: ``NoRoomFound``; ``SeveralRoomsFound``.
    func room(_ text: String, as meaning: Meaning = .own) throws -> RoomRow {
        if let row = rows.first(where: { "\($0.room)" == text }) { return row }
        let named = rows.filter { $0.name == text }
        if let best = named.map({ meaning.rank(of: $0) }).min() {
            return try one(of: named.filter { meaning.rank(of: $0) == best }, text)
        }
        let begun = text.count < Self.fewest ? [] : rows.filter { "\($0.room)".hasPrefix(text) }
        guard !begun.isEmpty else {
            let unnamed = rows.filter { $0.standing == .invited && $0.name == nil }.map { "\($0.room)" }
            throw NoRoomFound(name: text, unnamed: unnamed)
        }
        return try one(of: begun, text)
    }

    private func one(of found: [RoomRow], _ text: String) throws -> RoomRow {
        guard found.count == 1, let row = found.first else {
            throw SeveralRoomsFound(name: text, ids: found.map { "\($0.room)" })
        }
        return row
    }
}

extension RoomSearch.Meaning {
    /// Which rooms are meant first: the lower, the earlier.
    fileprivate func rank(of row: RoomRow) -> Int {
        switch (self, row.standing) {
        case (.own, .member), (.own, .leaving), (.own, .beginning): 0
        case (.invitation, .invited), (.invitation, .request): 0
        case (.past, .left), (.past, .removed): 0
        case (.older, .older): 0
        case (_, .left), (_, .removed): 2
        case (_, .older): 3
        default: 1
        }
    }
}

/// No room is called so.
struct NoRoomFound: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    /// What was looked for.
    let name: String
    /// Invitations whose room's name is not known.
    let unnamed: [String]

    var description: String {
        let rest =
            unnamed.isEmpty
            ? "see `mildam room list`"
            : "or it is not known yet what you are invited to: `mildam room join \(unnamed[0])` comes in by its id"
        return "no room is called \(name): \(rest)"
    }
}

/// Several rooms are called so.
struct SeveralRoomsFound: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    /// What was looked for.
    let name: String
    /// The rooms.
    let ids: [String]

    var description: String { "several rooms are called \(name): name one by its id: \(ids.joined(separator: ", "))" }
}
