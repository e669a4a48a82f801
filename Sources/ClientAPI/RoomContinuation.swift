import MildamIdentity

/// The rooms that go on from a room of the first kind, as far as this device knows.
public struct RoomContinuation: Codable, Equatable, Sendable {
    /// A room that goes on from it.
    public struct Successor: Codable, Equatable, Sendable {
        /// The room.
        public var row: RoomRow
        /// Who made it, where that is known.
        public var by: Handle?
        /// Whether the profile's own account did.
        public var isOwn: Bool

        /// Makes a successor.
        public init(row: RoomRow, by: Handle? = nil, isOwn: Bool) {
            self.row = row
            self.by = by
            self.isOwn = isOwn
        }
    }

    /// Somebody who was in the older room, and is neither in the room that goes on nor invited to it.
    public struct Missing: Codable, Equatable, Sendable {
        /// What it was called in the older room.
        public var handle: Handle
        /// Why, as far as that is known: a code.
        public var code: String

        /// Makes somebody who is missing.
        public init(handle: Handle, code: String) {
            self.handle = handle
            self.code = code
        }
    }

    /// Whether it was made just now.
    public var isNew: Bool
    /// The rooms, by id: more than one where several members went on at the same time.
    public var rooms: [Successor]
    /// Who is not in the one that this account goes on in; nobody where it is in none.
    public var missing: [Missing]

    /// Makes a continuation.
    public init(isNew: Bool, rooms: [Successor], missing: [Missing]) {
        self.isNew = isNew
        self.rooms = rooms
        self.missing = missing
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        guard rooms.count <= LineLimits.rooms else { throw .outOfRange("rooms") }
        for room in rooms { try room.row.check() }
        guard missing.count <= LineLimits.members else { throw .outOfRange("missing") }
        for somebody in missing { try ClientText.checkCode(somebody.code) }
    }
}
