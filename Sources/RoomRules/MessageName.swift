import MildamIdentity
import MildamWire

/// What an application message says openly, in its authenticated data: the id under which it is sent (H26). 17 bytes.
///
///     struct {
///         uint8 version = 1;
///         opaque message[16];
///     } MessageName;
///
/// Everything else that is said of a message stands inside it, or is bound by MLS: room, generation and epoch by the group's
/// context, account and device by the leaf.
public struct MessageName: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The message.
    public let message: MessageID

    /// Names a message.
    public init(_ message: MessageID) { self.message = message }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        message = try MessageID(from: &reader)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        message.encode(into: &writer)
    }
}
