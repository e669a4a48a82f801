import FoundationEssentials
import MildamCrypto
import MildamStorage

/// Seals entries, and finds them by keys that do not show what they are of.
struct EntrySealer: Sendable {
    static let column = "value"

    let rows: RowSealer
    /// The index's file, for errors.
    let path: String
    private let naming: SymmetricKey

    /// What seals the entries of the index at `path` under its key.
    init(_ key: SymmetricKey, _ path: String) {
        rows = RowSealer(rootKey: key, table: "entries", path: path)
        self.path = path
        naming = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            info: Array("mildam/1 vault names".utf8),
            outputByteCount: 32
        )
    }

    /// What a name is found by, 16 bytes.
    func key(of name: VaultName) -> [UInt8] { blinded(.name, Array(name.description.utf8)) }

    /// What a content is found by, 16 bytes.
    func key(ofDigest digest: [UInt8]) -> [UInt8] { blinded(.digest, digest) }

    /// What stands in the place of an entry's name: of a former version, which has none to be found by, its id.
    func nameKey(of entry: VaultEntry) -> [UInt8] {
        entry.entry == nil ? key(of: entry.name) : blinded(.former, entry.id.bytes)
    }

    /// An entry as it is stored.
    ///
    /// - Throws: `misuse`.
    func row(of entry: VaultEntry) throws(StorageError) -> EntryRow {
        let name = nameKey(of: entry)
        let file = entry.file == entry.id ? nil : entry.file.bytes
        let former = entry.entry?.bytes
        var place: [RowSealer.KeyPart] = [.bytes(entry.id.bytes), .bytes(name), .integer(Int64(entry.generation))]
        // Rows that have neither are sealed as those of the first vaults were.
        if file != nil || former != nil { place += [.bytes(file ?? []), .bytes(former ?? [])] }
        return EntryRow(
            entry: entry,
            name: name,
            digest: key(ofDigest: entry.digest),
            file: file,
            former: former,
            value: try rows.seal(Data(entry.value), column: Self.column, place: place)
        )
    }

    private enum Purpose: String {
        case name, digest, former
    }

    private func blinded(_ purpose: Purpose, _ bytes: [UInt8]) -> [UInt8] {
        let text = Array(purpose.rawValue.utf8) + [0] + bytes
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: naming).prefix(16))
    }
}

/// An entry, and the columns that it becomes. To seal it is work, which many threads can do; to store it is not.
struct EntryRow: Sendable {
    let entry: VaultEntry
    let name: [UInt8]
    let digest: [UInt8]
    /// The file's id; `nil` where it is the entry's own.
    let file: [UInt8]?
    /// The id of the entry whose former version it is; `nil` for one that is present.
    let former: [UInt8]?
    let value: Data
}
