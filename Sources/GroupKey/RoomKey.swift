import MildamCrypto
import MildamIdentity

/// The 256-bit key of one generation of a room.
public struct RoomKey: Sendable {
    /// The room.
    public let room: RoomID
    /// Which of the room's keys this is: 1 for the first, one more after every leave or removal.
    public let generation: UInt32
    /// The key messages are sealed under.
    public let secretKey: SymmetricKey

    /// A new random key.
    public init(room: RoomID, generation: UInt32) {
        self.init(room: room, generation: generation, key: SymmetricKey(size: .bits256))
    }

    /// A key that was stored or unwrapped, 32 bytes.
    public init(room: RoomID, generation: UInt32, key: SymmetricKey) {
        self.room = room
        self.generation = generation
        secretKey = key
    }
}
