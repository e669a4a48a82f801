import MildamEnclave
import MildamWire

/// What is true of the file as a whole; sealed, and written with every change.
struct Head: Equatable, Sendable {
    /// How often the file was changed.
    var counter: UInt64 = 0
    /// The number of the next item.
    var nextItem: Int64 = 1
    /// The number of the next record of the audit log, of the next grant and of the next slot.
    var nextRecord: Int64 = 1
    /// What all rows come to.
    var rows = SetHash()
    /// What the TPM's counter stood at; zero without one.
    var hardwareCounter: UInt64 = 0
    /// What the TPM's counter asks for (``MonotonicCounter``); empty without one.
    var hardwareKey: [UInt8] = []
}

/// ```
/// struct { uint64 counter; uint64 next_item; uint64 next_record; opaque rows[32]; uint64 hardware_counter;
///          opaque hardware_key<0..255>; } Head;
/// ```
extension Head: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        writer.integer(counter)
        writer.integer(UInt64(bitPattern: nextItem))
        writer.integer(UInt64(bitPattern: nextRecord))
        writer.fixed(rows.bytes)
        writer.integer(hardwareCounter)
        writer.vector(UInt8.self, hardwareKey)
    }

    init(from reader: inout WireReader) throws(WireError) {
        counter = try reader.integer()
        nextItem = Int64(bitPattern: try reader.integer(UInt64.self))
        nextRecord = Int64(bitPattern: try reader.integer(UInt64.self))
        rows = SetHash(bytes: try reader.fixed(SetHash.size))
        hardwareCounter = try reader.integer()
        hardwareKey = try reader.vector(UInt8.self, in: 0...255)
    }
}
