import MildamCrypto
import MildamIdentity
import MildamWire

/// How far a member has seen a room, and a running hash of everything up to there.
///
/// Two members who saw the same messages have the same hash; a relay that shows them different rooms is found out.
///
/// ```
/// struct { uint64 number; opaque running_hash[32]; } HistoryPoint;
/// ```
public struct HistoryPoint: Sendable, Equatable {
    /// The last message's number; 0 before the first.
    public let number: UInt64
    /// The hash, 32 bytes; zeros before the first message.
    public let hash: [UInt8]

    /// Before the first message.
    public static let start = HistoryPoint(number: 0, hash: [UInt8](repeating: 0, count: 32))

    /// A point that was stored.
    public init(number: UInt64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// The point after one more message: SHA-256 over label, this point, and the message as the relay keeps it.
    public func after(_ message: StoredMessage) -> HistoryPoint {
        var writer = WireWriter(capacity: message.body.count + 160)
        Label("running hash").encode(into: &writer)
        encode(into: &writer)
        message.context.encode(into: &writer)
        writer.vector(UInt32.self, message.body)
        return HistoryPoint(number: number + 1, hash: Array(SHA256.hash(data: writer.bytes)))
    }
}

extension HistoryPoint: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(number)
        writer.fixed(hash)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        number = try reader.integer()
        hash = try reader.fixed(32)
    }
}
