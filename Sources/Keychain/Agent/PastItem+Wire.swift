import MildamWire

/// ```
/// struct { uint64 number; uint64 time; uint8 is_removed; KeychainItem item; } PastItem;  /* the item without its secret */
/// ```
extension PastItem: WireEncodable, WireDecodable {
    /// Appends the past item.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt64(bitPattern: number))
        writer.integer(UInt64(bitPattern: time))
        writer.integer(UInt8(isRemoved ? 1 : 0))
        item.encode(into: &writer)
    }

    /// Reads a past item.
    public init(from reader: inout WireReader) throws(WireError) {
        number = try reader.number()
        time = try reader.number()
        isRemoved = try reader.flag()
        item = try KeychainItem(from: &reader)
        guard item.secret == nil else { throw .invalidValue(field: "secret") }
    }
}
