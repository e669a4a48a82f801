import MildamIdentity

/// What one operation changes of what was lost, and of how far devices have read.
struct RecoveryChanges: Sendable {
    /// Numbers that nobody gave back.
    var lost: [LostRow] = []
    /// The last number that a device has acknowledged; a row never goes back.
    var cursors: [CursorName: UInt64] = [:]

    struct LostRow: Equatable, Sendable {
        let room: RoomID
        let numbers: ClosedRange<UInt64>
    }
}

/// A room, and a device that reads it.
struct CursorName: Hashable, Sendable {
    let room: RoomID
    let address: MailboxAddress
}
