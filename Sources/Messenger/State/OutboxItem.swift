import FoundationEssentials
import MildamGroupKey
import MildamIdentity

/// Something this device wants to say; kept until the relay has it.
struct OutboxItem: Codable, Sendable {
    /// The room.
    var room: RoomID
    /// The id under which it is sent, however often.
    var message: MessageID
    /// When it was written, in milliseconds since 1970.
    var written: Int64
    /// What it says.
    var event: RoomContent.Event
    /// Its place among this device's messages in the room, once it has one.
    var counter: UInt64?
    /// The ciphertext that was last sent, to be sent again unless the room's key has changed.
    var attempt: Attempt?

    /// A sealed form of the item.
    struct Attempt: Codable, Sendable {
        /// The generation it is sealed under.
        var generation: UInt32
        /// The encoded message box.
        var body: Data
    }
}
