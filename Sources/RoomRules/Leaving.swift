import MildamIdentity
import MildamWire

/// An account leaves a room, or does not come in: signed by one of its devices (H6).
///
///     struct {
///         uint8 version = 1;
///         opaque room[16];
///         uint64 generation;
///         opaque account[16];
///     } Leaving;
public struct Leaving: Signable, Hashable {
    /// "mildam/1 leaving".
    public static let label = Label("leaving")

    /// The room.
    public let room: RoomID
    /// Which of the room's groups it is about.
    public let generation: UInt64
    /// Who leaves.
    public let account: AccountID

    /// Says it.
    public init(room: RoomID, generation: UInt64, account: AccountID) {
        self.room = room
        self.generation = generation
        self.account = account
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        room.encode(into: &writer)
        writer.integer(generation)
        account.encode(into: &writer)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        room = try RoomID(from: &reader)
        generation = try reader.integer()
        account = try AccountID(from: &reader)
    }
}
