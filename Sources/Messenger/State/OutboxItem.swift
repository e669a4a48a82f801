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
    /// The form in which it was sent, or is about to be: sent again until the relay answers.
    var attempt: Attempt?

    /// A sealed form of the item.
    struct Attempt: Codable, Sendable {
        /// The generation it is sealed under.
        var generation: UInt32
        /// Its place among this device's messages in the room.
        var counter: UInt64
        /// The encoded message box.
        var body: Data
    }

    /// How long the message is that it is sealed in, in bytes; in a room of many messages a few more.
    func sealedSize() throws(MessengerError) -> Int {
        let content = RoomContent(written: written, seen: .start, event: event)
        do { return MessageBox.size(sealing: try content.encoded().count + 20) } catch { throw .content(error) }
    }
}
