import MildamCrypto
import MildamWire

/// A device of one list says which list comes next: signed by its key in the older one.
///
/// The identity key alone makes a list that nobody has seen before believed by nobody who knows an older one. So a copy
/// of it, made before a device got new keys, is of no use afterwards.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     opaque account[16];
///     opaque device[16];          // on the older list; its key there signs this
///     opaque from_sha256[32];     // the older list
///     opaque to_sha256[32];       // the next list
/// } DeviceHandover;
/// ```
public struct DeviceHandover: Signable, Equatable {
    /// "mildam/1 device handover".
    public static let label = Label("device handover")

    /// The relay the account lives on.
    public let relay: RelayID
    /// The account.
    public let account: AccountID
    /// The device that signs.
    public let device: DeviceID
    /// SHA-256 of the older list, 32 bytes.
    public let from: [UInt8]
    /// SHA-256 of the next list, 32 bytes.
    public let to: [UInt8]

    /// What a device says when one list takes another's place.
    public init(by device: DeviceID, from older: DeviceList, to next: DeviceList) {
        relay = older.relay
        account = older.account
        self.device = device
        from = older.digest
        to = next.digest
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        device.encode(into: &writer)
        writer.fixed(from)
        writer.fixed(to)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        from = try reader.fixed(32)
        to = try reader.fixed(32)
    }
}
