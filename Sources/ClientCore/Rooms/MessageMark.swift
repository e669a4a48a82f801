import MildamIdentity
import MildamWire

/// What an application message says openly, and has signed: `struct { uint8 version = 1; opaque message[16]; }` (H26).
enum MessageMark {
    /// The 17 bytes of a message's id.
    static func bytes(_ id: MessageID) -> [UInt8] {
        var writer = WireWriter(capacity: 17)
        writer.integer(UInt8(1))
        id.encode(into: &writer)
        return writer.bytes
    }
}
