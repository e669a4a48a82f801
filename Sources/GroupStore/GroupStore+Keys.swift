import FoundationEssentials
import MildamCrypto
import MildamMLS
import MildamStorage
import MildamWire

/// The keys that records are sealed under, and the names that the file knows them by.
extension GroupStore {
    /// The key of a term of a group's.
    struct KeyRow {
        let number: Int64
        let group: GroupID
        let term: StateRecord.Term
        let sealer: RowSealer
    }

    /// A new key.
    func makeKey(_ group: GroupID, _ term: StateRecord.Term) throws(StorageError) -> KeyRow {
        let key = SymmetricKey(size: .bits256)
        let (family, name) = (family(group), keyName(group, term))
        var writer = WireWriter(capacity: 64 + group.bytes.count)
        unsafe key.withUnsafeBytes { unsafe writer.fixed($0) }
        term.encode(into: &writer)
        group.encode(into: &writer)
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        var value = Data(bytes)
        defer { value.wipe() }
        let sealed = try keys.seal(value, column: "value", row: .bytes(family), .bytes(name))
        let number = try database.first(
            "INSERT INTO mls_keys (family, name, value) VALUES (?, ?, ?) RETURNING number",
            family,
            name,
            sealed
        ) { row throws(StorageError) in try row.int64(0) }
        guard let number else { throw .misuse("a key that was stored has no number") }
        return KeyRow(number: number, group: group, term: term, sealer: sealer(key))
    }

    func keyRow(_ group: GroupID, _ term: StateRecord.Term) throws(StorageError) -> KeyRow? {
        let name = keyName(group, term)
        return try database.first("SELECT number, family, name, value FROM mls_keys WHERE name = ?", name) {
            row throws(StorageError) in
            try self.keyRow(row)
        }
    }

    /// The key in a row.
    func keyRow(numbered number: Int64) throws(StorageError) -> KeyRow? {
        try database.first("SELECT number, family, name, value FROM mls_keys WHERE number = ?", number) {
            row throws(StorageError) in
            try self.keyRow(row)
        }
    }

    /// The keys of a group; of all groups, without one.
    func keyRows(of group: GroupID?) throws(StorageError) -> [KeyRow] {
        guard let group else {
            return try database.rows("SELECT number, family, name, value FROM mls_keys ORDER BY number") {
                row throws(StorageError) in
                try self.keyRow(row)
            }
        }
        return try database.rows(
            "SELECT number, family, name, value FROM mls_keys WHERE family = ? ORDER BY number",
            family(group)
        ) { row throws(StorageError) in try self.keyRow(row) }
    }

    private func keyRow(_ row: borrowing Row) throws(StorageError) -> KeyRow {
        let number = try row.int64(0)
        let (family, name) = (try row.bytes(1), try row.bytes(2))
        let sealed = try row.data(3)
        var opener = try RowSealer.Opener(keys)
        return try opener.open(sealed.span, column: "value", row: [.bytes(family), .bytes(name)]) {
            value throws(StorageError) in
            do throws(WireError) {
                var reader = WireReader(value)
                var bytes = try reader.fixed(32)
                defer { bytes.wipe() }
                let term = try StateRecord.Term(from: &reader)
                let group = try GroupID(from: &reader)
                try reader.finish()
                let key = SymmetricKey(data: bytes)
                return KeyRow(number: number, group: group, term: term, sealer: sealer(key))
            } catch {
                throw damaged
            }
        }
    }

    private func sealer(_ key: SymmetricKey) -> RowSealer {
        RowSealer(rootKey: key, table: "mls_records", path: database.path)
    }

    // MARK: Names

    func family(_ group: GroupID) -> [UInt8] { blinded([], group) }

    func keyName(_ group: GroupID, _ term: StateRecord.Term) -> [UInt8] {
        var writer = WireWriter()
        writer.fixed(Array("key".utf8))
        term.encode(into: &writer)
        return blinded(writer.bytes, group)
    }

    /// The first 16 bytes of HMAC-SHA256 over the group's name, with its length before it, and another name: what the file
    /// knows it by.
    func blinded(_ name: [UInt8], _ group: GroupID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: group.wireBytes + name, using: naming).prefix(16))
    }
}
