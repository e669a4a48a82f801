import MildamClientCore
import MildamIdentity

/// Where a client's rooms are kept, and what is read of them beside what the client itself goes on with.
public protocol RoomStore: CoreStore, SendableMetatype {
    /// Entries of a room, ascending by number; those of one number in the order in which they were stored.
    ///
    /// - Throws: what keeps them from being read.
    func entries(of room: RoomID, _ window: EntryWindow) throws -> [ShownEntry]

    /// What is kept of a room after a number, for others who may need it again (H41), ascending.
    ///
    /// - Throws: what keeps it from being read.
    func kept(of room: RoomID, after number: UInt64) throws -> [NumberedMessage]
}
