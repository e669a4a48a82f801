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
    /// Which rooms have the keys that the device has now, ``LineLimits/rooms`` at most; those that have not come first.
    case keys(rooms: [RoomKeys])
    /// The rooms that something is wrong with, ``LineLimits/rooms`` at most, of so many.
    case troubles(rooms: [RoomTrouble], of: Int)
    /// What an examination found, step by step.
    case findings(steps: [ClientFinding])
    /// What goes on from a room of the first kind.
    case continued(as: RoomContinuation)
    /// A file is being saved: what comes of it is asked for by this id, and it will be at this path.
    case saving(id: MessageID, path: String)
    /// What strangers ask, and who is blocked.
    case requests(requests: [WaitingRequest], blocked: [BlockedRow])
    /// Who a request is from.
    case request(facts: RequestFacts)
    /// What came of accepting a request.
    case accepted(request: RequestAccepted)
    /// How many requests were dropped.
    case declined(count: Int)
    /// Who is blocked, or not any more.
    case blocked(row: BlockedRow)
    /// Somebody who was looked up.
    case found(contact: FoundContact)
    /// Whether all of a room is here that the relay has; where it is not, why, as far as that is known.
    case caughtUp(isRead: Bool, fault: ClientError? = nil)
    /// What waits to be said, room by room, each in the order in which it was wished; and whether there is more.
    case outbox(waiting: [UnsentItem], hasMore: Bool)
    /// What was found in a part of a room, ascending; the number before which it goes on, where the room does not begin there;
    /// and when the earliest was said that was looked at, where that is known, in milliseconds since 1970.
    case matches(items: [RoomItem], before: UInt64? = nil, at: UInt64? = nil)
    /// Somebody whom the profile has met, or whose key it believes.
    case contact(row: ContactRow)
    /// A link that was made, the number by which it can be taken back, and when it runs out: seconds since 1970.
    case link(text: String, number: Int64, expires: Int64)
    /// How many links were taken back.
    case revoked(count: Int)

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
        case .findings(let steps):
            guard steps.count <= ClientFinding.most else { throw .outOfRange("steps") }
            for step in steps { try step.check() }
        case .troubles(let rooms, _):
            guard rooms.count <= LineLimits.rooms else { throw .outOfRange("rooms") }
            for room in rooms { try room.check() }
        case .keys(let rooms):
            guard rooms.count <= LineLimits.rooms else { throw .outOfRange("rooms") }
            for room in rooms { try room.check() }
        case .continued(let continuation): try continuation.check()
        case .saving(_, let path): try ClientText.check(path, "path", 1...2 * LineLimits.path)
        case .requests(let requests, let blocked):
            guard requests.count <= LineLimits.rooms, blocked.count <= LineLimits.members else {
                throw .outOfRange("requests")
            }
        case .request(let facts): try facts.check()
        case .accepted(let request): try request.check()
        case .found(let contact): try contact.check()
        case .caughtUp(_, let fault): try fault?.check()
        case .outbox(let waiting, _):
            guard waiting.count <= LineLimits.window else { throw .outOfRange("waiting") }
            for message in waiting { try message.check() }
        case .matches(let items, _, _):
            guard items.count <= LineLimits.window else { throw .outOfRange("items") }
            for item in items { try item.check() }
        case .contact(let row): try row.check()
        case .link(let text, _, _): try ClientText.check(text, "link", 1...LineLimits.link)
        case .blocked(let row): try StandingRefusal.check(row.refused)
        case .wished, .subscribed, .done, .declined, .revoked: return
        }
    }
}
