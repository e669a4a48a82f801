import FoundationEssentials
import MildamClientCore
import MildamCrypto
import MildamMLS
import MildamStorage
import MildamWire

/// The private parts of key packages, a row each: one that was used is gone from the file.
extension RoomStore {
    func put(_ stock: KeyPackageStock, replacing stored: KeyPackageStock?) throws(StorageError) {
        var before = Set((stored.map { $0.held + $0.lastResort } ?? []).map(name))
        for (held, isLastResort) in stock.held.map({ ($0, false) }) + stock.lastResort.map({ ($0, true) }) {
            let name = self.name(held)
            guard before.remove(name) == nil else { continue }
            var value = RoomStore.value(held, isLastResort)
            defer { value.wipe() }
            var data = Data(value)
            defer { data.wipe() }
            try database.execute(
                "INSERT INTO key_packages (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                name,
                try keys.keyPackages.seal(data, column: "value", row: .bytes(name))
            )
        }
        guard !before.isEmpty else { return }
        noteRemains()
        for name in before { try database.execute("DELETE FROM key_packages WHERE name = ?", name) }
    }

    private func name(_ held: KeyPackageStock.Held) -> [UInt8] {
        keys.name(ofKeyPackage: held.bundle.keyPackage.wireBytes)
    }

    /// The stock; a key package whose row does not open is not among it: a Welcome for it does not open either, and the device
    /// comes in from outside.
    func keyPackages() throws(StorageError) -> KeyPackageStock {
        var (held, lastResort): ([KeyPackageStock.Held], [KeyPackageStock.Held]) = ([], [])
        try database.forEach("SELECT name, value FROM key_packages ORDER BY turn") { row throws(StorageError) in
            let name = try row.bytes(0)
            guard var value = RoomStore.opened(try row.data(1), by: self.keys.keyPackages, .bytes(name)) else {
                return true
            }
            defer { value.wipe() }
            guard let (stored, isLastResort) = try? RoomStore.keyPackage(value) else { return true }
            if isLastResort { lastResort.append(stored) } else { held.append(stored) }
            return true
        }
        return KeyPackageStock(held: held, lastResort: lastResort)
    }

    /// `struct { uint8 is_last_resort; uint64 not_after; KeyPackage key_package; opaque private_keys[]; }`
    private static func value(_ held: KeyPackageStock.Held, _ isLastResort: Bool) -> [UInt8] {
        var writer = WireWriter(capacity: 4096)
        writer.integer(UInt8(isLastResort ? 1 : 0))
        writer.integer(held.notAfter)
        held.bundle.keyPackage.encode(into: &writer)
        unsafe held.bundle.privateKeys.withUnsafeBytes { unsafe writer.fixed($0) }
        return writer.takeBytes()
    }

    static func keyPackage(_ value: [UInt8]) throws -> (KeyPackageStock.Held, Bool) {
        var reader = WireReader(value.span)
        let isLastResort = try reader.integer(UInt8.self) == 1
        let notAfter = try reader.integer(UInt64.self)
        let keyPackage = try KeyPackage(from: &reader)
        var keys = try reader.fixed(reader.remaining)
        defer { keys.wipe() }
        let bundle = try KeyPackageBundle(keyPackage, privateKeys: SymmetricKey(data: keys))
        return (KeyPackageStock.Held(bundle: bundle, notAfter: notAfter), isLastResort)
    }
}
