import MildamStorage

/// An item as it lies in the file. Class and accessibility are as they were read: nothing in a row is believed before it
/// has been opened.
struct ItemRow: Equatable, Sendable {
    let number: Int64
    /// How often it was changed.
    let version: Int64
    let itemClass: Int64
    let accessibility: Int64
    /// Access group, `synchronizable` and the attributes, sealed.
    let attributes: [UInt8]
    /// The item's own key, under that of its accessibility.
    let key: [UInt8]
    /// The secret under the item's own key.
    let secret: [UInt8]
}

extension ItemRow {
    /// The columns of `item` in the order of the table.
    init(_ row: borrowing Row) throws(StorageError) {
        number = try row.int64(0)
        version = try row.int64(1)
        itemClass = try row.int64(2)
        accessibility = try row.int64(3)
        attributes = try row.bytes(4)
        key = try row.bytes(5)
        secret = try row.bytes(6)
    }
}

/// A slot as it lies in the file.
struct SlotRow: Hashable, Sendable {
    let number: Int64
    let parameters: [UInt8]
    let sealed: [UInt8]

    /// Whether another row is the same slot, whatever number it has.
    func isSame(as other: SlotRow) -> Bool { parameters == other.parameters && sealed == other.sealed }
}

extension SlotRow {
    /// The columns of `slot`.
    init(_ row: borrowing Row) throws(StorageError) {
        number = try row.int64(0)
        parameters = try row.bytes(1)
        sealed = try row.bytes(2)
    }
}
