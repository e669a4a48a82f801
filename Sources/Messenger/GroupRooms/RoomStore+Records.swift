import MildamClientCore
import MildamClientStore
import MildamIdentity

extension RoomStore: RoomRecords {
    /// Entries of a room.
    public func entries(of room: RoomID, _ window: EntryWindow) throws -> [ShownEntry] {
        switch window {
        case .last(let count): try entries(of: room, Window.last(count))
        case .before(let number, let count): try entries(of: room, Window.before(number, count))
        case .from(let number, let count): try entries(of: room, Window.after(number - min(number, 1), count))
        }
    }

    /// Makes what was deleted unreadable, unless somebody reads it just now.
    public func forgetRemains() throws { try eraseRemains(patience: 0) }
}
