import MildamIdentity
import MildamRelayAPI

/// Finds groups whose last snapshot keeps messages from going that are old enough: nothing happens there that another one would be
/// made with. A small part of the work; nothing is changed.
struct FindHeldGroups: StoreOperation {
    /// Milliseconds since 1970: what was stored before is old enough.
    let cutoff: Int64
    /// The id of the room after which to go on; empty at first.
    let start: [UInt8]

    /// What was found.
    struct Found: Sendable {
        /// The rooms, each with one of its members, for whom the group is read; nothing counts for that one.
        var rooms: [(room: RoomID, member: AccountID)] = []
        /// Where to go on next; `nil` when all rooms were seen.
        var next: [UInt8]?
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Found, APIError> {
        let ids = try facts.rooms(.longRooms(after: start))
        var found = Found()
        for id in ids {
            guard let room = try facts.room(id), let group = room.group, let member = room.members.keys.min(),
                group.wantsSnapshotToForget, room.first == group.snapshot + 1
            else { continue }
            let old = try facts.portion(.oldMessages(id, below: room.first + 1, storedBefore: cutoff))
            if old.last != nil { found.rooms.append((id, member)) }
        }
        found.next = ids.count < DropMessages.roomsAtOnce ? nil : ids.last?.bytes
        return .success(found)
    }
}
