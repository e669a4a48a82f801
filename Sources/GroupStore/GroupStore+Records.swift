import FoundationEssentials
import MildamCrypto
import MildamMLS
import MildamStorage
import MildamWire

/// Records, sealed under the key of their epoch.
extension GroupStore {
    func store(_ record: StateRecord, under row: KeyRow) throws(StorageError) {
        let name = record.name.wireBytes
        let place = blinded(name, row.group)
        var writer = WireWriter(capacity: 16 + name.count + record.content.bitCount / 8)
        writer.vector(name)
        unsafe record.content.withUnsafeBytes { unsafe writer.fixed($0) }
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        var value = Data(bytes)
        defer { value.wipe() }
        try database.execute(
            "INSERT INTO mls_records VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            row.number,
            place,
            try row.sealer.seal(value, column: "value", row: .bytes(place))
        )
    }

    func records(under row: KeyRow) throws(StorageError) -> [StateRecord] {
        var opener = try RowSealer.Opener(row.sealer)
        var records: [StateRecord] = []
        try database.forEach("SELECT name, value FROM mls_records WHERE key = ?", row.number) {
            stored throws(StorageError) in
            let place = try stored.bytes(0)
            let sealed = try stored.data(1)
            let record = try opener.open(sealed.span, column: "value", row: [.bytes(place)]) {
                value throws(StorageError) in
                try self.record(value)
            }
            guard blinded(record.name.wireBytes, row.group) == place, record.name.term == row.term else {
                throw damaged
            }
            records.append(record)
            return true
        }
        return records
    }

    private func record(_ value: Span<UInt8>) throws(StorageError) -> StateRecord {
        do throws(WireError) {
            var reader = WireReader(value)
            let name = try StateRecord.Name(wireBytes: try reader.vector())
            var content = try reader.fixed(reader.remaining)
            defer { content.wipe() }
            return StateRecord(name: name, content: SymmetricKey(data: content))
        } catch {
            throw damaged
        }
    }

    var damaged: StorageError {
        .damaged(path: database.path, reason: "a record of a group is not in its place")
    }
}
