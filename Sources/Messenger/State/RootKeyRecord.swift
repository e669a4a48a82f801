import FoundationEssentials
import MildamCrypto
import MildamStorage

/// The record that shows whether a root key is the database's: under another, no blinded name would be found, and a
/// profile whose key was lost would look like a new one. It holds the naming keys of the times before the database was
/// sealed anew, 32 bytes each, the first one first.
struct RootKeyRecord {
    static let kind = "root key"
    static let name = [UInt8](repeating: 0, count: 16)

    let earlierNaming: [SymmetricKey]

    init(earlierNaming: [SymmetricKey]) {
        self.earlierNaming = earlierNaming
    }

    /// Opens the record.
    ///
    /// - Throws: `damaged` when it was not sealed under the sealer's key.
    init(_ sealed: Data, by sealer: RowSealer, path: String) throws(StorageError) {
        var value = try sealer.open(sealed, column: "value", row: .text(Self.kind), .bytes(Self.name))
        defer { value.wipe() }
        guard value.count % 32 == 0 else { throw .damaged(path: path, reason: "the root key's record") }
        earlierNaming = stride(from: value.startIndex, to: value.endIndex, by: 32).map {
            SymmetricKey(data: value[$0..<$0 + 32])
        }
    }

    /// The record as it is stored.
    func sealed(by sealer: RowSealer) throws(StorageError) -> Data {
        var value = Data(capacity: earlierNaming.count * 32)
        defer { value.wipe() }
        for key in earlierNaming { unsafe key.withUnsafeBytes { unsafe value.append(contentsOf: $0) } }
        return try sealer.seal(value, column: "value", row: .text(Self.kind), .bytes(Self.name))
    }
}
