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
/// A value's length is hidden up to steps: 4 bytes of length and the value are filled with zeros to a multiple of 64
/// bytes, above 2 KiB to a multiple of the step of Padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted
/// Files and Communication with PURBs", 2019), which costs at most 1/16.
public struct RowSealer: Sendable {
    private let key: SymmetricKey
    private let table: String
    private let path: String

    /// A part of what names a row.
    public enum KeyPart: Sendable {
        /// An identifier.
        case bytes([UInt8])
        /// A number.
        case integer(Int64)
        /// A name.
        case text(String)
    }

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
        guard value.count < 1 << 30 else { throw .misuse("a value of \(value.count) bytes for \(table).\(column)") }
        var padded = Data(capacity: Self.paddedSize(value.count))
        defer { padded.wipe() }
        padded.append(contentsOf: Self.encoded(value.count))
        padded.append(value)
        padded.append(Data(count: Self.paddedSize(value.count) - padded.count))
        do throws(CryptoKitError) {
            return try ChaChaPoly.seal(padded, using: key, authenticating: place(column, row)).combined
        } catch {
            throw .misuse("cannot seal \(table).\(column)")
        }
    }

    /// The value of a sealed form.
    ///
    /// - Throws: `.damaged` when it was not sealed under this key, for this place.
    public func open(_ sealed: Data, column: String, row: KeyPart...) throws(StorageError) -> Data {
        do throws(CryptoKitError) {
            let box = try ChaChaPoly.SealedBox(combined: sealed)
            var padded = try ChaChaPoly.open(box, using: key, authenticating: place(column, row))
            defer { padded.wipe() }
            let count = padded.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard padded.count >= 4, count <= padded.count - 4 else { throw .authenticationFailure }
            return Data(padded.dropFirst(4).prefix(count))
        } catch {
            throw .damaged(path: path, reason: "a sealed value of \(table).\(column) does not open")
        }
    }

    /// How many bytes are sealed for a value of `count`.
    static func paddedSize(_ count: Int) -> Int {
        let size = count + 4
        let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
        let digits = Int.bitWidth - exponent.leadingZeroBitCount
        let step = max(64, 1 << max(exponent - digits, 0))
        return (size + step - 1) / step * step
    }

    /// Table, column and the parts of the row's key, each with its kind and its length, so that no two places are one.
    private func place(_ column: String, _ row: [KeyPart]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        func append(_ kind: UInt8, _ part: some Collection<UInt8>) {
            bytes.append(kind)
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            bytes.append(contentsOf: part)
        }
        append(0, table.utf8)
        append(0, column.utf8)
        for part in row {
            switch part {
            case .bytes(let value): append(1, value)
            case .integer(let value): append(2, (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
            case .text(let value): append(3, value.utf8)
            }
        }
        return bytes
    }

    /// A length in 4 bytes, the highest first.
    private static func encoded(_ count: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }
}
