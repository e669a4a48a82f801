import MildamIdentity

/// A row that is to be written; all of a step in one transaction.
public enum StoreChange: Sendable {
    /// A room as it is now, and as it was stored last; `nil` for a new one.
    case room(RoomCore, replacing: RoomCore?)
    /// An entry of a room.
    case entry(RoomID, ShownEntry)
    /// A message that others may need again, until this second since 1970 (H41).
    case keep(RoomID, NumberedMessage, until: UInt64)
    /// Messages of this device's own with these numbers are kept no longer: what they said is said again (H41).
    case release(RoomID, [UInt64])
    /// The private parts of key packages, and as they were stored last.
    case keyPackages(KeyPackageStock, replacing: KeyPackageStock?)
    /// Everything of a room goes: its entries, its groups and what was kept for others. As it was stored last.
    case forget(RoomCore)

    /// The room that it is of; `nil` for what is the device's.
    var room: RoomID? {
        switch self {
        case .room(let room, _), .forget(let room): room.room
        case .entry(let room, _), .keep(let room, _, _), .release(let room, _): room
        case .keyPackages: nil
        }
    }
}
