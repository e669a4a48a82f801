import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamStorage
import MildamWire

/// How far a person has read, which nobody else is told of.
extension RoomStore {
    /// The number up to which a person has read a room; 0 at first, and where the row is damaged.
    public func position(of room: RoomID) throws(StorageError) -> UInt64 {
        guard let place = places[room] else { return 0 }
        let sealed = try database.first("SELECT value FROM room_positions WHERE room = ?", place) {
            row throws(StorageError) in try row.data(0)
        }
        let value = sealed.flatMap { RoomStore.opened($0, by: keys.positions, .integer(place)) }
        guard let value, value.count == 8 else { return 0 }
        return value.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A person has read a room up to a number; what was read stays read.
    public func read(_ room: RoomID, upTo number: UInt64) throws(StorageError) {
        guard let place = places[room], number > (try position(of: room)) else { return }
        var writer = WireWriter(capacity: 8)
        writer.integer(number)
        try database.execute(
            "INSERT INTO room_positions (room, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            place,
            try RoomStore.sealed(writer.bytes, by: keys.positions, .integer(place))
        )
    }

    /// What others have said in a room and a person has not read.
    public struct Unread: Hashable, Sendable {
        /// The first number; `nil` where everything is read.
        public let first: UInt64?
        /// How many there are, 1,000 at most.
        public let count: Int
    }

    /// What of others' messages is behind the position, and not of this account.
    public func unread(of room: RoomID, for own: AccountID) throws(StorageError) -> Unread {
        let entries = try self.entries(of: room, .after(try position(of: room), 1000)).filter { entry in
            guard case .content = entry.kind else { return false }
            return entry.account != own
        }
        return Unread(first: entries.first?.number, count: min(entries.count, 1000))
    }
}
