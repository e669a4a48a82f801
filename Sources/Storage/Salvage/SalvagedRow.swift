/// A row that was found in a page of a damaged database. Which table it is of, its values have to tell.
public struct SalvagedRow: Equatable, Sendable {
    /// A value as it stands there.
    public enum Value: Equatable, Sendable {
        /// `NULL`; the primary key of a row that has a number.
        case null
        /// An `INTEGER`.
        case integer(Int64)
        /// A `BLOB`.
        case bytes([UInt8])
        /// A `TEXT` or a `REAL`.
        case other
    }

    /// Its number; `nil` of a table without such, or of an index.
    public let number: Int64?
    /// Its values, in the order of the columns.
    public let values: [Value]
}

extension SalvagedRow {
    /// The most columns.
    private static let maximumColumns = 100

    /// Reads a record ("Database File Format", section 2.1).
    ///
    /// - Returns: `nil` for bytes that are none.
    init?(number: Int64?, record: [UInt8]) {
        guard let (headerSize, headerStart) = record.varint(at: 0), let end = Int(exactly: headerSize),
            (headerStart...record.count).contains(end)
        else { return nil }
        var types: [UInt64] = []
        var place = headerStart
        while place < end {
            guard types.count < Self.maximumColumns, let (type, next) = record.varint(at: place), next <= end else {
                return nil
            }
            types.append(type)
            place = next
        }
        var values: [Value] = []
        for type in types {
            guard let size = Self.size(of: type), size <= record.count - place else { return nil }
            values.append(Self.value(of: type, record[place..<place + size]))
            place += size
        }
        guard place == record.count else { return nil }
        self.init(number: number, values: values)
    }

    /// How many bytes a value of a serial type takes; `nil` for a type that there is not.
    private static func size(of type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private static func value(of type: UInt64, _ bytes: ArraySlice<UInt8>) -> Value {
        switch type {
        case 0: return .null
        case 1...6:
            // Two's complement, its sign in the first bit.
            let start: UInt64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : .max
            return .integer(Int64(bitPattern: bytes.reduce(start) { $0 << 8 | UInt64($1) }))
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12... where type.isMultiple(of: 2): return .bytes([UInt8](bytes))
        default: return .other
        }
    }
}

extension [UInt8] {
    /// A variable-length integer of 1 to 9 bytes, and the place behind it; `nil` where the bytes end before.
    func varint(at place: Int) -> (value: UInt64, next: Int)? {
        var value: UInt64 = 0
        for length in 0..<9 {
            guard indices.contains(place + length) else { return nil }
            let byte = self[place + length]
            if length == 8 { return (value << 8 | UInt64(byte), place + 9) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { return (value, place + length + 1) }
        }
        return nil
    }
}
