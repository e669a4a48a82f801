import MildamCrypto
import MildamIdentity
import MildamWire

/// What a message of a room's log is known by: SHA-256 of what is the same for all who read it, all that its sender has sent, and
/// who that was. 32 bytes. Its number and its time, which the relay gives it, are no part of it.
public enum MessageDigest {
    /// The kind of a change of the group.
    public static let commit: UInt8 = 3

    private static let label = Label("numbered message")

    /// A message's.
    ///
    /// - Parameter kind: what it carries, as a number that does not change.
    public static func of(
        generation: UInt64,
        account: AccountID,
        device: DeviceID,
        id: MessageID,
        kind: UInt8,
        body: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter(capacity: body.count + 96)
        label.encode(into: &writer)
        writer.integer(generation)
        account.encode(into: &writer)
        device.encode(into: &writer)
        id.encode(into: &writer)
        writer.integer(kind)
        writer.vector(body)
        return Array(SHA256.hash(data: writer.bytes))
    }
}
