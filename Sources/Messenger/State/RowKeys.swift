import MildamCrypto
import MildamStorage

/// What the rows of a profile's database are sealed with and found by, under one root key.
///
/// A name is HMAC-SHA256 of table ‖ 0 ‖ name, its first 16 bytes. Names that are stored cannot be opened, so that sealing
/// the database anew gives each the HMAC, under the new key, of what it was: the earlier keys are part of the way to it.
struct RowKeys {
    let records: RowSealer
    let entries: RowSealer
    let outbox: RowSealer
    let envelopes: RowSealer
    /// The earlier databases' keys, the first one first, and this one's. 32 bytes each.
    let naming: [SymmetricKey]

    /// - Parameters:
    ///   - earlier: the naming keys that the names went through before.
    ///   - path: the database's file, for errors.
    init(root: SymmetricKey, earlier: [SymmetricKey] = [], path: String) {
        func sealer(_ table: String) -> RowSealer { RowSealer(rootKey: root, table: table, path: path) }
        (records, entries) = (sealer("records"), sealer("entries"))
        (outbox, envelopes) = (sealer("outbox"), sealer("envelopes"))
        let own = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root,
            info: Array("mildam/1 row names".utf8),
            outputByteCount: 32
        )
        naming = earlier + [own]
    }

    /// The name under which the database knows something: it does not show what it names.
    func blinded(_ table: String, _ name: [UInt8]) -> [UInt8] {
        naming.reduce(Array(table.utf8) + [0] + name) { Self.blinded($0, under: $1) }
    }

    /// The name in place of one that was made under the keys before this one.
    func blindedAnew(_ name: [UInt8]) -> [UInt8] {
        naming.last.map { Self.blinded(name, under: $0) } ?? name
    }

    private static func blinded(_ name: [UInt8], under key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: name, using: key).prefix(16))
    }
}
