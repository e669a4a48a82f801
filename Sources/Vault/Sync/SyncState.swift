import MildamWire

/// What the last synchronisation of a folder with a vault knew.
struct SyncState: Equatable, Sendable {
    private static let version: UInt8 = 2

    /// The folder's path: absolute, and without links.
    let folder: String
    /// The folder of the vault; `nil` for the whole vault.
    let top: VaultName?
    /// What the folder is known by (`SyncDisk.number`).
    let number: UInt64
    /// The same of the disks that were mounted below it, by the bytes of their names in the folder.
    let disks: [[UInt8]: UInt64]
    /// The files that were the same on both sides, by the bytes of their names in the folder.
    let records: [[UInt8]: SyncRecord]

    init(
        folder: String,
        top: VaultName?,
        number: UInt64,
        disks: [[UInt8]: UInt64] = [:],
        records: [[UInt8]: SyncRecord]
    ) {
        self.folder = folder
        self.top = top
        self.number = number
        self.disks = disks
        self.records = records
    }

    /// The state as it is sealed.
    var value: [UInt8] {
        var writer = WireWriter(capacity: 64 + records.count * 128)
        writer.integer(Self.version)
        writer.text(UInt16.self, folder)
        writer.text(UInt16.self, top?.description ?? "")
        writer.integer(number)
        writer.integer(UInt32(disks.count))
        for (name, disk) in disks.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.vector(UInt16.self, name)
            writer.integer(disk)
        }
        writer.integer(UInt32(records.count))
        for (name, record) in records.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.vector(UInt16.self, name)
            writer.fixed(record.digest)
            writer.integer(UInt8(record.stamp == nil ? 0 : 1))
            guard let stamp = record.stamp else { continue }
            writer.integer(UInt64(stamp.size))
            writer.integer(UInt64(bitPattern: stamp.modified))
            writer.integer(UInt64(bitPattern: stamp.changed))
        }
        return writer.bytes
    }

    /// Reads what `value` gives.
    ///
    /// - Throws: `WireError`.
    init(value: Span<UInt8>) throws(WireError) {
        var reader = WireReader(value)
        guard try reader.integer(UInt8.self) == Self.version else { throw .invalidValue(field: "version") }
        folder = try reader.text(UInt16.self, in: 1...Int(UInt16.max))
        let top = try reader.text(UInt16.self, in: 0...VaultName.maximumSize)
        self.top = try top.isEmpty ? nil : Self.name(Array(top.utf8))
        number = try reader.integer(UInt64.self)
        var (disks, last): ([[UInt8]: UInt64], [UInt8]) = ([:], [])
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let name = try reader.vector(UInt16.self, in: 1...VaultName.maximumSize)
            guard last.lexicographicallyPrecedes(name) else { throw .invalidValue(field: "order") }
            _ = try Self.name(name)
            last = name
            disks[name] = try reader.integer(UInt64.self)
        }
        self.disks = disks
        last = []
        var records: [[UInt8]: SyncRecord] = [:]
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let name = try reader.vector(UInt16.self, in: 1...VaultName.maximumSize)
            guard last.lexicographicallyPrecedes(name) else { throw .invalidValue(field: "order") }
            _ = try Self.name(name)
            last = name
            let digest = try reader.fixed(VaultEntry.digestSize)
            var stamp: SyncStamp?
            switch try reader.integer(UInt8.self) {
            case 0: break
            case 1:
                let announced = try reader.integer(UInt64.self)
                guard let size = Int(exactly: announced) else { throw .invalidValue(field: "size") }
                let modified = Int64(bitPattern: try reader.integer(UInt64.self))
                let changed = Int64(bitPattern: try reader.integer(UInt64.self))
                stamp = SyncStamp(size: size, modified: modified, changed: changed)
            default: throw .invalidValue(field: "stamp")
            }
            records[name] = SyncRecord(digest: digest, stamp: stamp)
        }
        self.records = records
        try reader.finish()
    }

    private static func name(_ bytes: [UInt8]) throws(WireError) -> VaultName {
        do throws(VaultError) { return try VaultName(bytes: bytes) } catch { throw .invalidText }
    }
}
