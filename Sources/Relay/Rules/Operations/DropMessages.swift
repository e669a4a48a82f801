import MildamIdentity
import MildamRelayAPI

/// Drops messages that were stored before a moment, but for each room's last one, from which its numbers go on: a small part of
/// the work, so that no send waits for the whole.
struct DropMessages: StoreOperation {
    /// Milliseconds since 1970.
    let cutoff: Int64
    /// What was stored before this moment goes, though a device has yet to read it; milliseconds since 1970. Later than `cutoff`
    /// counts as it.
    let last: Int64
    /// The id of the room after which to go on; empty at first.
    let start: [UInt8]

    /// - Parameter last: `nil`: nobody is waited for.
    init(cutoff: Int64, last: Int64? = nil, start: [UInt8]) {
        self.cutoff = cutoff
        self.last = min(cutoff, last ?? cutoff)
        self.start = start
    }

    /// Rooms that one step looks at.
    static let roomsAtOnce = 50

    /// - Returns: where to go on next; `nil` when all rooms were seen.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<[UInt8]?, APIError> {
        let found = try facts.rooms(.longRooms(after: start))
        var last = start
        for id in found {
            // Where there is more of a room, it is looked at again.
            if try drop(from: id, &facts) { return .success(last) }
            last = id.bytes
        }
        return .success(found.count < Self.roomsAtOnce ? nil : last)
    }

    /// - Returns: whether there may be more to drop.
    private func drop(from id: RoomID, _ facts: inout Facts) throws(Missing) -> Bool {
        guard let before = try facts.room(id), before.first < before.next - 1 else { return false }
        // What the last snapshot is followed by stays.
        let limit = min(before.next - 1, before.group?.firstNeeded ?? .max)
        var portion = try facts.portion(.oldMessages(id, below: limit, storedBefore: self.last))
        // What is overdue is not all.
        let isOverdue = portion.last != nil && self.last < cutoff
        if portion.last == nil, self.last < cutoff {
            // What every device that says so has read.
            let read = try facts.lowestCursor(of: id).map { min(limit, $0 + 1) } ?? limit
            portion = try facts.portion(.oldMessages(id, below: read, storedBefore: cutoff))
        }
        guard let last = portion.last else { return false }
        var after = before
        after.first = last + 1
        after.bytes = max(0, before.bytes - portion.bytes)
        facts.put(after, replacing: before)
        facts.drop(portion, of: id)
        if let group = before.group {
            // Of those before the last, the ones whose next message is gone.
            _ = try facts.dropSnapshots(of: id, below: min(last, group.snapshot))
        }
        return portion.isFull || isOverdue
    }
}
