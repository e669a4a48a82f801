import MildamIdentity

/// What was lost, and how far devices have read: what rules ask for and write. Neither counts for anybody: there is at most one
/// cursor for each device and room, and a gap for what a room has lost.
extension Facts {
    /// Numbers of a room are given up: it goes on behind them.
    mutating func lose(_ numbers: ClosedRange<UInt64>, of room: RoomID) {
        changes.recovery.lost.append(RecoveryChanges.LostRow(room: room, numbers: numbers))
    }

    /// The number that a room's next message gets; `nil` for an account that is no member.
    mutating func end(of room: RoomID, for account: AccountID) throws(Missing) -> UInt64? {
        if let known = rooms[room] { return known.flatMap { $0.members[account] == nil ? nil : $0.next } }
        let key = FactKey.end(room, account)
        guard case .number(let number) = try look(through: key) else { throw Missing(key) }
        return number
    }

    /// A device has read so far, or further.
    mutating func acknowledge(_ number: UInt64, by name: CursorName) {
        changes.recovery.cursors[name] = max(number, changes.recovery.cursors[name] ?? 0)
    }

    /// The lowest number that a device has acknowledged in a room; `nil` where none has.
    mutating func lowestCursor(of room: RoomID) throws(Missing) -> UInt64? {
        guard case .number(let number) = try look(through: .lowestCursor(room)) else {
            throw Missing(.lowestCursor(room))
        }
        return number
    }
}
