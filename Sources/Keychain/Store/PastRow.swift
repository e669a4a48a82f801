import MildamStorage
import MildamWire

/// What an item was, as it lies in the file: its row word for word, and when that was put away.
struct PastRow: Sendable {
    /// Its own number, of those of the records: whatever was put away later has a higher one.
    let number: Int64
    /// The item's row. Its seals name the item and its version, and not the table that it lies in.
    let item: ItemRow
    /// A ``PastNote``, sealed.
    let note: [UInt8]
}

extension PastRow {
    /// The columns of `past` in the order of the table.
    init(_ row: borrowing Row) throws(StorageError) {
        number = try row.int64(0)
        item = ItemRow(
            number: try row.int64(1),
            version: try row.int64(2),
            itemClass: try row.int64(3),
            accessibility: try row.int64(4),
            attributes: try row.bytes(5),
            key: try row.bytes(6),
            secret: try row.bytes(7)
        )
        note = try row.bytes(8)
    }
}

/// When a row was put away.
struct PastNote: Equatable, Sendable {
    /// Milliseconds since 1970.
    let time: Int64
}

/// ```
/// struct { uint64 time; } PastNote;
/// ```
extension PastNote: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) { writer.integer(UInt64(bitPattern: time)) }

    init(from reader: inout WireReader) throws(WireError) {
        time = Int64(bitPattern: try reader.integer(UInt64.self))
    }
}
