import MildamIdentity

/// What the client answers.
public enum ClientAnswer: Codable, Equatable, Sendable {
    /// Rooms, and whether there are more after the last of them.
    case rooms(rows: [RoomRow], hasMore: Bool)
    /// A part of a room.
    case window(items: [RoomItem], hasBefore: Bool, hasAfter: Bool, firstUnread: UInt64? = nil, row: RoomRow)
    /// All of a message's text.
    case text(text: String)
    /// It is wished for: it is on this disk, and goes on by itself until it is so, or cannot be.
    case wished(id: MessageID)
    /// What came of a wish.
    case outcome(wish: WishOutcome)
    /// How the room is now.
    case room(row: RoomRow)
    /// Who is in it.
    case members(members: [RoomMember])
    /// The digits of the epoch's authenticator.
    case verification(generation: UInt64, epoch: UInt64, digits: String)
    /// How the client is.
    case status(now: ClientStatus)
    /// The first line of changes has the revision after this one.
    case subscribed(rev: UInt64)
    /// It was done.
    case done

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .rooms(let rows, _):
            guard rows.count <= LineLimits.rooms else { throw .outOfRange("rows") }
            for row in rows { try row.check() }
        case .window(let items, _, _, _, let row):
            guard items.count <= LineLimits.window else { throw .outOfRange("items") }
            for item in items { try item.check() }
            try row.check()
        case .room(let row): try row.check()
        case .members(let members):
            guard members.count <= LineLimits.members else { throw .outOfRange("members") }
            for member in members { try member.check() }
        case .verification(_, _, let digits): try ClientText.check(digits, "digits", 1...LineLimits.name)
        case .status(let status): try status.check()
        case .text(let text): try ClientText.check(text, "text", 0...LineLimits.text)
        case .outcome(let wish): try wish.check()
        case .wished, .subscribed, .done: return
        }
    }
}
