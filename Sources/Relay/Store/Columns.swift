import MildamIdentity
import MildamStorage

/// An identifier as its 16 bytes in a column.
struct IdentifierColumn<Kind: IdentifierKind>: ColumnValue {
    let identifier: Identifier<Kind>

    func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try identifier.bytes.bind(to: statement, at: index)
    }
}

extension Identifier {
    /// To be bound to a parameter.
    var column: IdentifierColumn<Kind> { IdentifierColumn(identifier: self) }
}

extension Row {
    /// An identifier.
    func identifier<Kind>(_ column: Int) throws(StorageError) -> Identifier<Kind> {
        let bytes = try bytes(column)
        do {
            return try Identifier(bytes: bytes)
        } catch {
            throw .damaged(path: "the relay's database", reason: "an identifier is not 16 bytes")
        }
    }

    /// A number that counts from 0 or 1.
    func count<Number: FixedWidthInteger>(_ column: Int) throws(StorageError) -> Number {
        guard let number = Number(exactly: try int64(column)) else {
            throw .damaged(path: "the relay's database", reason: "a number is out of its range")
        }
        return number
    }
}

extension Int64 {
    /// A number from a request, to look for; one that no row can have becomes the largest.
    init(lookup number: UInt64) {
        self = Int64(clamping: number)
    }
}
