import MildamIdentity
import MildamWire

/// An account leaves a room, or does not come in: signed by one of its devices (H6).
///
///     struct {
///         uint8 version = 1;
///         opaque room[16];
///         uint64 generation;
///         uint64 epoch;
///         opaque account[16];
///     } Leaving;
///
/// It counts once. The epoch is written into the room's extension when it does, and no older one counts after that: who was
/// invited again is not put out by what they said before.
public struct Leaving: Signable, Hashable {
    /// "mildam/1 leaving".
    public static let label = Label("leaving")

    /// The room.
    public let room: RoomID
    /// Which of the room's groups it is about.
    public let generation: UInt64
    /// The epoch in which it is said.
    public let epoch: UInt64
    /// Who leaves.
    public let account: AccountID

    /// Says it.
    public init(room: RoomID, generation: UInt64, epoch: UInt64, account: AccountID) {
        self.room = room
        self.generation = generation
        self.epoch = epoch
        self.account = account
    }

    /// The longest delay before a member commits what others want who leave, in milliseconds: 500 for each leaf, 30 seconds at
    /// most. What is waited is drawn from 0 to this.
    public static func longestDelay(leaves: Int) -> UInt64 { UInt64(min(max(leaves, 0), 60)) * 500 }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        room.encode(into: &writer)
        writer.integer(generation)
        writer.integer(epoch)
        account.encode(into: &writer)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        room = try RoomID(from: &reader)
        generation = try reader.integer()
        epoch = try reader.integer()
        account = try AccountID(from: &reader)
    }
}
