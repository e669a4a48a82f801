import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import MildamWire

extension Vault {
    /// Writes entries as a store, for a program that reads nothing else: files in AES-256-CBC in a folder, and a table of
    /// their paths, salts and IVs. Nobody notices when one of them is changed.
    ///
    /// - Parameters:
    ///   - table: where the table goes; its ending says how it is kept: `.csv`, `.json`, otherwise SQLite.
    ///   - monitor: told of the bytes of all files that were read.
    ///   - told: hears of each entry that was written. The table is written last.
    /// - Throws: `io`, with `EEXIST` where something is already; `file`, `storage`, `cancelled`.
    public func writeStore(
        _ entries: [VaultEntry],
        to folder: String,
        table: String,
        monitor: FileMonitor = FileMonitor(),
        told: (VaultEntry) -> Void = { _ in }
    ) throws(VaultError) {
        guard !WholeFile.isTaken(table) else { throw .io(SystemError("create", table, code: EEXIST)) }
        let password = try storePassword()
        try system { () throws(SystemError) in
            try Folder.create(folder)
            try Folder.create(Folder.parent(of: table))
        }
        var rows: [StoreRow] = []
        var isWhole = false
        // Without a table they are of no use to anybody, nor is a table without them.
        defer { if !isWhole { Self.remove(rows, in: folder, table) } }
        let total = TotalMonitor(monitor, total: entries.reduce(0) { $0 + $1.storedSize })
        for entry in entries {
            if monitor.isCancelled() { throw .cancelled }
            let row = StoreRow(
                id: entry.name.description,
                path: "\(entry.id).enc",
                salt: SecureRandom.bytes(count: StoreRow.newSaltSize),
                iv: SecureRandom.bytes(count: StoreRow.ivSize)
            )
            let part = total.part(entry.storedSize)
            defer { part.end() }
            try write(entry, as: row, to: "\(folder)/\(row.path)", password, part.monitor)
            rows.append(row)
            told(entry)
        }
        try Self.write(rows, to: table)
        isWhole = true
    }

    /// The password that stores are written under: random, made when it is first asked for, and kept with the vault's
    /// keys. 43 characters, 256 bits.
    public func storePassword() throws(VaultError) -> SymmetricKey {
        if let password = keys.storePassword { return password }
        var next = keys
        var text = Array(Base64.url.encode(SecureRandom.bytes(count: 32)).utf8)
        defer { text.wipe() }
        let password = SymmetricKey(data: text)
        next.storePassword = password
        try save(next)
        return password
    }

    private func write(
        _ entry: VaultEntry,
        as row: StoreRow,
        to path: String,
        _ password: SymmetricKey,
        _ monitor: FileMonitor
    ) throws(VaultError) {
        let pipe = try system { () throws(SystemError) in
            try FilePipe { (target) throws(VaultError) in try self.get(entry.name, to: target, monitor: monitor) }
        }
        let target = FileTarget(path, replacing: false)
        do throws(LegacyError) {
            try LegacyFile.encrypt(
                pipe.source,
                to: target,
                password: SecretBytes(copying: password),
                salt: row.salt,
                iv: row.iv,
                rounds: StoreRow.rounds
            )
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .storeFile(path, error)
        }
        do throws(VaultError) {
            try pipe.outcome()
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    private static func remove(_ rows: [StoreRow], in folder: String, _ table: String) {
        for row in rows { unsafe unlink("\(folder)/\(row.path)") }
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(table + suffix) }
    }

    private static func write(_ rows: [StoreRow], to table: String) throws(VaultError) {
        switch StoreTable.Form(path: table) {
        case .csv:
            let lines = [StoreRow.columns.map { "\($0)" }] + rows.map(\.texts)
            try write(lines.map(CommaSeparated.line).joined(), to: table)
        case .json:
            let objects = rows.map { row in
                Dictionary(uniqueKeysWithValues: zip(StoreRow.columns.map { "\($0)" }, row.texts))
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            guard let json = try? encoder.encode(objects) else { throw .storeTable(table, "it cannot be written") }
            try write(String(decoding: json, as: UTF8.self) + "\n", to: table)
        case .sqlite:
            do throws(StorageError) { try writeSQLite(rows, table) } catch { throw .storage(error) }
        }
    }

    private static func write(_ text: String, to path: String) throws(VaultError) {
        let bytes = Array(text.utf8)
        do throws(SystemError) { try WholeFile.write(bytes.span, to: path) } catch { throw .io(error) }
    }

    private static let schema = Schema(
        applicationID: 0x4d69_6c53,  // "MilS"
        migrations: [
            "CREATE TABLE files (id TEXT NOT NULL PRIMARY KEY, file_path TEXT NOT NULL, salt BLOB NOT NULL, iv BLOB NOT NULL);"
        ]
    )

    private static func writeSQLite(_ rows: [StoreRow], _ path: String) throws(StorageError) {
        let database = try Database(path: path, schema: schema)
        try database.transaction { () throws(StorageError) in
            for row in rows {
                try database.execute(
                    "INSERT INTO files (id, file_path, salt, iv) VALUES (?, ?, ?, ?)",
                    row.id,
                    row.path,
                    row.salt,
                    row.iv
                )
            }
        }
        try database.truncateWAL()
    }
}

extension StoreRow {
    /// As a text table has them: salt and IV in hexadecimal.
    fileprivate var texts: [String] { [id, path, Hex.encode(salt), Hex.encode(iv)] }
}
