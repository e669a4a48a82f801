import MildamCrypto
import MildamWire

/// The devices of an account, numbered and signed by its identity key. A device not on the newest list is gone.
///
/// ```
/// struct { opaque device[16]; opaque record_sha256[32]; } Entry;
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     opaque account[16];
///     uint64 number;
///     uint8 count;            // 0..64
///     Entry entries[count];   // ascending by device, no device twice
/// } DeviceList;
/// ```
public struct DeviceList: Signable {
    /// "mildam/1 device list".
    public static let label = Label("device list")
    /// How many devices an account can have.
    public static let maximumCount = 64

    /// A device and the record that is meant.
    public struct Entry: Sendable, Equatable {
        /// The device.
        public let device: DeviceID
        /// SHA-256 of the device record, 32 bytes.
        public let recordDigest: [UInt8]
    }

    /// The relay the account lives on.
    public let relay: RelayID
    /// The account.
    public let account: AccountID
    /// Grows by one with each change; the first list is number 1.
    public let number: UInt64
    /// The devices, ascending.
    public let entries: [Entry]

    /// Makes the list of these devices.
    ///
    /// - Precondition: at most 64 devices, each once.
    public init(relay: RelayID, account: AccountID, number: UInt64, records: [DeviceRecord]) {
        precondition(records.count <= DeviceList.maximumCount, "too many devices for one list")
        self.relay = relay
        self.account = account
        self.number = number
        entries = records.sorted { $0.device < $1.device }
            .map { Entry(device: $0.device, recordDigest: $0.digest) }
    }

    /// SHA-256 of the encoding, by which two lists with one number are told apart.
    public var digest: [UInt8] { Array(SHA256.hash(data: wireBytes)) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        writer.integer(number)
        writer.integer(UInt8(entries.count))
        for entry in entries {
            entry.device.encode(into: &writer)
            writer.fixed(entry.recordDigest)
        }
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        number = try reader.integer()
        let count = Int(try reader.integer(UInt8.self))
        guard count <= DeviceList.maximumCount else { throw .lengthOutOfRange(count) }
        var entries: [Entry] = []
        for _ in 0..<count {
            let device = try DeviceID(from: &reader)
            if let last = entries.last, last.device >= device { throw .invalidValue(field: "entries") }
            entries.append(Entry(device: device, recordDigest: try reader.fixed(32)))
        }
        self.entries = entries
    }
}
