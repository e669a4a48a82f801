import FoundationEssentials
import MildamCrypto

/// Seals column values, so that a copy of the file shows neither them nor, closely, how long they are.
///
/// Each table has a key of its own, HKDF-SHA256 of the root key with the label "mildam/1 rows " + table. A value is
/// sealed with ChaCha20-Poly1305 (RFC 8439) under a random nonce, and stored as nonce ‖ ciphertext ‖ tag. Table,
/// column and row key are authenticated with it: a value that was moved to another row, column or table does not
/// open. Random nonces of 12 bytes are safe for 2³² values of one table.
///
/// Not noticed, for lack of anything to compare with: a row that is gone, and an older value of the same place.
///
/// A value's length is hidden up to steps (``Padding``): 4 bytes of length and the value are filled with zeros.
public struct RowSealer: Sendable {
    let key: SymmetricKey
    private let table: String
    private let path: String

    /// A sealer for the values of one table.
    ///
    /// - Parameters:
    ///   - rootKey: the key of the whole database, 32 bytes.
    ///   - table: its name, at most 200 bytes; a longer one is a programmer's error.
    ///   - path: the database's file, for errors.
    public init(rootKey: SymmetricKey, table: String, path: String) {
        precondition(table.utf8.count <= 200, "a table's name has at most 200 bytes")
        let label = Array("mildam/1 rows \(table)".utf8)
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: rootKey,
            info: [UInt8(label.count)] + label,
            outputByteCount: 32
        )
        self.table = table
        self.path = path
    }

    /// The sealed form of a value, of at most 1 GiB as SQLite has it.
    public func seal(_ value: Data, column: String, row: KeyPart...) throws(StorageError) -> Data {
        try seal(value, column: column, place: row)
    }

    /// The sealed form of a value, of at most 1 GiB as SQLite has it, for a place whose parts are not always as many.
    public func seal(_ value: Data, column: String, place row: [KeyPart]) throws(StorageError) -> Data {
        guard value.count < 1 << 30 else { throw .misuse("a value of \(value.count) bytes for \(table).\(column)") }
        var padded = Data(capacity: Padding.paddedSize(value.count))
        defer { padded.wipe() }
        unsafe withUnsafeBytes(of: UInt32(value.count).bigEndian) { unsafe padded.append(contentsOf: $0) }
        padded.append(value)
        padded.append(Data(count: Padding.paddedSize(value.count) - padded.count))
        var place: [UInt8] = []
        append(column, row, to: &place)
        do throws(CryptoKitError) {
            return try ChaChaPoly.seal(padded, using: key, authenticating: place).combined
        } catch {
            throw .misuse("cannot seal \(table).\(column)")
        }
    }

    /// The value of a sealed form.
    ///
    /// - Throws: `.damaged` when it was not sealed under this key, for this place.
    public func open(_ sealed: Data, column: String, row: KeyPart...) throws(StorageError) -> Data {
        try open(sealed, column: column, place: row)
    }

    private func open(_ sealed: Data, column: String, place row: [KeyPart]) throws(StorageError) -> Data {
        var opener = try Opener(self)
        return try opener.open(sealed.span, column: column, row: row) { value throws(StorageError) in
            unsafe value.withUnsafeBytes { unsafe Data($0) }
        }
    }

    // MARK: Another key

    /// The value, sealed by another sealer for another place of the same column.
    ///
    /// - Throws: `.damaged` when it was not sealed under this key, for `place`.
    public func resealed(
        _ sealed: Data,
        column: String,
        place: [KeyPart],
        by other: RowSealer,
        place next: [KeyPart]
    ) throws(StorageError) -> Data {
        var value = try open(sealed, column: column, place: place)
        defer { value.wipe() }
        return try other.seal(value, column: column, place: next)
    }

    /// Whether a value was sealed under this key, for this place.
    public func opens(_ sealed: Data, column: String, place: [KeyPart]) -> Bool {
        guard var value = try? open(sealed, column: column, place: place) else { return false }
        value.wipe()
        return true
    }

    func damaged(_ column: String) -> StorageError {
        .damaged(path: path, reason: "a sealed value of \(table).\(column) does not open")
    }

    /// Appends table, column and the parts of the row's key, so that no two places are one.
    func append(_ column: String, _ row: [KeyPart], to place: inout [UInt8]) {
        place.reserveCapacity(128)
        KeyPart.append(name: table, to: &place)
        KeyPart.append(name: column, to: &place)
        for part in row { part.append(to: &place) }
    }
}
