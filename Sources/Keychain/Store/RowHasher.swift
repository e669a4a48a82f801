import FoundationEssentials
import MildamCrypto
import MildamStorage

/// The code of a row for the set hash: HMAC-SHA256 over its table, its number and each of its values with their length.
struct RowHasher: ~Copyable {
    private var authenticator: HMAC<SHA256>.Authenticator
    private var buffer: [UInt8] = []

    init(_ metadata: SymmetricKey) {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: metadata,
            info: Array("mildam/1 keychain rows".utf8),
            outputByteCount: 32
        )
        authenticator = HMAC<SHA256>.Authenticator(key: key)
    }

    private mutating func begin(_ table: Table, _ number: Int64) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(table.rawValue)
        append(number)
    }

    private mutating func append(_ number: Int64) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe buffer.append(contentsOf: $0) }
    }

    private mutating func append(_ bytes: [UInt8]) {
        append(bytes.span)
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        append(Int64(bytes.count))
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    private mutating func code() -> HashedAuthenticationCode<SHA256> {
        unsafe buffer.withUnsafeBytes { unsafe authenticator.authenticationCode(bufferPointer: $0) }
    }

    /// The code of an item's row.
    mutating func code(_ row: ItemRow) -> HashedAuthenticationCode<SHA256> {
        begin(.item, row.number)
        append(row.version)
        append(row.itemClass)
        append(row.accessibility)
        append(row.attributes)
        append(row.key)
        append(row.secret)
        return code()
    }

    /// The code of the row of `item` that a statement stands on, for what goes through all of them.
    mutating func code(item row: borrowing Row) throws(StorageError) -> HashedAuthenticationCode<SHA256> {
        begin(.item, try row.int64(0))
        for column in 1...3 { append(try row.int64(column)) }
        for column in 4...6 { try row.withBytes(column) { append($0) } }
        return code()
    }

    /// The code of the row of `item_index` that a statement stands on.
    mutating func code(index row: borrowing Row) throws(StorageError) -> HashedAuthenticationCode<SHA256> {
        begin(.index, try row.int64(1))
        try row.withBytes(0) { append($0) }
        return code()
    }

    /// The code of an entry of the index.
    mutating func code(index hash: [UInt8], item: Int64) -> HashedAuthenticationCode<SHA256> {
        begin(.index, item)
        append(hash)
        return code()
    }

    /// The code of a slot's row.
    mutating func code(_ row: SlotRow) -> HashedAuthenticationCode<SHA256> {
        begin(.slot, row.number)
        append(row.parameters)
        append(row.sealed)
        return code()
    }

    /// The code of what is kept of an item.
    mutating func code(_ row: PastRow) -> HashedAuthenticationCode<SHA256> {
        begin(.past, row.number)
        append(row.item.number)
        append(row.item.version)
        append(row.item.itemClass)
        append(row.item.accessibility)
        append(row.item.attributes)
        append(row.item.key)
        append(row.item.secret)
        append(row.note)
        return code()
    }

    /// The code of the row of `past` that a statement stands on.
    mutating func code(past row: borrowing Row) throws(StorageError) -> HashedAuthenticationCode<SHA256> {
        begin(.past, try row.int64(0))
        for column in 1...4 { append(try row.int64(column)) }
        for column in 5...8 { try row.withBytes(column) { append($0) } }
        return code()
    }

    /// The code of a sealed record.
    mutating func code(_ table: Table, _ number: Int64, _ sealed: [UInt8]) -> HashedAuthenticationCode<SHA256> {
        begin(table, number)
        append(sealed)
        return code()
    }

    /// The tables whose rows are hashed.
    enum Table: UInt8 {
        case item = 1
        case index = 2
        case slot = 3
        case access = 4
        case audit = 5
        case past = 6
    }
}
