import MildamIdentity
import MildamWire

/// How far a store has come, as a file beside it says: a store that is older than its mark was put back.
///
///     struct {
///         uint8 version = 1;
///         opaque incarnation[16];
///         uint64 number;
///     } StoreMark;
struct StoreMark: Hashable, Sendable {
    /// Which store it is.
    let incarnation: IncarnationID
    /// Grows from mark to mark.
    let number: UInt64

    /// Its size in bytes.
    static let size = 25
}

extension StoreMark: WireEncodable, WireDecodable {
    /// Reads the structure.
    init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        incarnation = try IncarnationID(from: &reader)
        number = try reader.integer()
        guard number <= UInt64(Int64.max) - 1 else { throw .invalidValue(field: "number") }
    }

    /// Appends the structure.
    func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        incarnation.encode(into: &writer)
        writer.integer(number)
    }
}
