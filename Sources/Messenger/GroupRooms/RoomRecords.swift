import MildamClientCore
import MildamIdentity

/// Where a client's rooms are kept, with what is read of them and done there beside what the client itself goes on with.
public protocol RoomRecords: CoreStore, SendableMetatype {
    /// Entries of a room, ascending by number; those of one number in the order in which they were stored.
    ///
    /// - Throws: what keeps them from being read.
    func entries(of room: RoomID, _ window: EntryWindow) throws -> [ShownEntry]

    /// The entries of a room under these numbers, ascending.
    ///
    /// - Throws: what keeps them from being read.
    func entries(of room: RoomID, in numbers: [ClosedRange<UInt64>]) throws -> [ShownEntry]

    /// Nothing more is stored: what lies in a log beside what is stored goes into it, where nobody reads it just now.
    func rest()

    /// What is kept of a room after a number, for others who may need it again (H41), ascending.
    ///
    /// - Throws: what keeps it from being read.
    func kept(of room: RoomID, after number: UInt64) throws -> [NumberedMessage]

    /// What this device had said under these numbers, of what is kept at a second since 1970 (H41).
    ///
    /// - Throws: what keeps it from being read.
    func lostWords(of room: RoomID, in numbers: [ClosedRange<UInt64>], keptAt second: UInt64) throws -> LostWords

    /// Forgets what is kept for others beyond its time.
    ///
    /// - Parameter second: now, in seconds since 1970.
    /// - Throws: what keeps it from being forgotten.
    func forgetKept(at second: UInt64) throws

    /// Whether what was deleted may still lie somewhere.
    var hasRemains: Bool { get }

    /// Makes what was deleted unreadable: once for many steps, and about a second after the first of them.
    ///
    /// - Throws: what keeps it from being done now; it is tried again.
    func forgetRemains() throws
}
