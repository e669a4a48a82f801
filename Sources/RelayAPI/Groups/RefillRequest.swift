import MildamIdentity
import MildamWire

/// The body of `POST /v1/rooms/ROOM/group/refill`: messages that a relay lost when its store was put back, under the numbers that
/// they had.
///
///     struct {
///         uint8 version = 1;
///         uint64 shown;                  // the last number that the sender knows of the room
///         RefilledMessage messages<V>;   // 0 to 500, their numbers ascending
///     } RefillRequest;
public struct RefillRequest: Hashable, Sendable {
    /// The last number that the sender knows: no other message gets it, nor one below.
    public let shown: UInt64
    /// What is given back, by ascending numbers.
    public let messages: [RefilledMessage]

    /// Makes a request.
    public init(shown: UInt64, messages: [RefilledMessage] = []) {
        self.shown = shown
        self.messages = messages
    }
}

extension RefillRequest: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        shown = try reader.number("shown")
        var content = try reader.nested()
        var messages: [RefilledMessage] = []
        while content.remaining > 0 {
            guard messages.count < Limits.page else { throw .lengthOutOfRange(messages.count + 1) }
            let message = try RefilledMessage(from: &content)
            guard message.number > messages.last?.number ?? 0, message.number <= shown else {
                throw .invalidValue(field: "number")
            }
            messages.append(message)
        }
        self.messages = messages
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(shown)
        writer.nested { writer in for message in messages { message.encode(into: &writer) } }
    }
}
