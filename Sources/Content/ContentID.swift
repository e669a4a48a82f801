import MildamCrypto
import MildamIdentity
import MildamWire

/// What a message is named by in others: a hash of who said what in which room, so that nobody makes one for another
/// (draft-ietf-mimi-content-08, "Message ID"; there it is called MessageId).
///
/// 32 bytes: 1 for SHA-256, and the first 31 of
/// `SHA-256(uint16 length ‖ sender URI ‖ uint16 length ‖ room URI ‖ message ‖ salt)`.
public struct ContentID: Hashable, Sendable {
    /// The size in bytes.
    public static let size = 32
    private static let sha256: UInt8 = 1

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// An id of 32 bytes; `nil` for other sizes, and for a hash function that is not SHA-256.
    public init?(bytes: [UInt8]) {
        guard bytes.count == ContentID.size, bytes.first == ContentID.sha256 else { return nil }
        self.bytes = bytes
    }

    /// The id of a message.
    ///
    /// - Parameters:
    ///   - message: its encoding.
    ///   - salt: the salt that it begins with.
    ///   - sender: the URI of who said it, ``ContentURI/account(_:on:)``.
    ///   - room: the URI of the room, ``ContentURI/room(_:on:)``.
    /// - Precondition: no URI is longer than 65,535 bytes.
    public init(of message: [UInt8], salt: MessageID, from sender: String, in room: String) {
        var writer = WireWriter(capacity: message.count + sender.utf8.count + room.utf8.count + 20)
        writer.text(UInt16.self, sender)
        writer.text(UInt16.self, room)
        writer.fixed(message)
        salt.encode(into: &writer)
        bytes = [ContentID.sha256] + Array(SHA256.hash(data: writer.bytes).prefix(ContentID.size - 1))
    }
}
