import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// A row of a store's table, and what became of it.
public struct StoreImport: Sendable {
    /// Which row, counted from 1.
    public let row: Int
    /// Its id, where it has one.
    public let id: String?
    /// What the file is called in the vault, or why it is not there.
    public let result: Result<VaultName, VaultError>
}

extension Vault {
    /// Adds the files of a store: a folder of files in AES-256-CBC and a table of their paths, salts and IVs, under one
    /// password. Content is never on a disk unencrypted.
    ///
    /// Nothing in a store is authenticated: that a file opened does not say that it is what was written.
    ///
    /// - Parameters:
    ///   - table: a file in SQLite, CSV or JSON with the columns `id`, `file_path`, `salt` and `iv`.
    ///   - folder: where the files are. An absolute path of another machine is looked for by its last part.
    ///   - password: in UTF-8.
    ///   - name: the folder of the vault that they go into, each called by its id.
    ///   - monitor: told of the bytes of all files that were taken in.
    /// - Returns: what became of each row.
    /// - Throws: `storeTable`, `storage`, `io`, `cancelled`; those that were added stay.
    public func importStore(
        table: String,
        folder: String,
        password: SymmetricKey,
        into name: VaultName,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> [StoreImport] {
        var reports: [StoreImport] = []
        var sources: [(row: Int, id: String, source: VaultSource)] = []
        for (place, row) in try StoreTable.rows(at: table).enumerated() {
            do throws(VaultError) {
                let row = try Self.sound(row, place + 1)
                let path = try Self.path(of: row, in: folder, place + 1)
                let (called, size) = (try name.appending(row.id), WholeFile.size(path))
                let source = VaultSource(path: path, name: called, size: size) { () throws(VaultError) in
                    try Self.content(of: row, at: path, password)
                }
                sources.append((place + 1, row.id, source))
            } catch {
                reports.append(StoreImport(row: place + 1, id: try? row.get().id, result: .failure(error)))
            }
        }
        var told = 0
        try add(sources.map(\.source), monitor: monitor) { addition in
            let (row, id, _) = sources[told]
            told += 1
            reports.append(StoreImport(row: row, id: id, result: addition.result.map(\.name)))
        }
        return reports.sorted { $0.row < $1.row }
    }

    private static func sound(_ row: StoreTable.Row, _ number: Int) throws(VaultError) -> StoreRow {
        do throws(StoreRowDefect) { return try row.get() } catch { throw .storeRow(number, error.rawValue) }
    }

    /// Where a row's file is: in the folder, and nowhere else.
    private static func path(of row: StoreRow, in folder: String, _ number: Int) throws(VaultError) -> String {
        let parts = row.path.split(separator: "/")
        guard let last = parts.last, !parts.contains("..") else {
            throw .storeRow(number, StoreRowDefect.outside.rawValue)
        }
        return "\(folder)/\(row.path.hasPrefix("/") ? String(last) : row.path)"
    }

    /// A file's content, from a pipe. Nothing comes out of it before the padding was found right.
    private static func content(
        of row: StoreRow,
        at path: String,
        _ password: SymmetricKey
    ) throws(VaultError) -> VaultSource.Content {
        do throws(SystemError) {
            let file = try FileSource(path)
            let layout = LegacyLayout.pbkdf2(salt: row.salt, iv: row.iv, rounds: StoreRow.rounds)
            let pipe = try FilePipe { (target) throws(LegacyError) in
                try LegacyFile.decrypt(file, to: target, password: SecretBytes(copying: password), layout: layout)
            }
            return VaultSource.Content(file: pipe.source) { () throws(VaultError) in
                do throws(LegacyError) { _ = try pipe.outcome() } catch { throw .storeFile(path, error) }
            }
        } catch {
            throw .io(error)
        }
    }
}
