import MildamCrypto
import MildamStorage

/// Which root key a profile's database lies under.
extension ClientStore {
    /// The keys of the rows; a database that lies under the earlier root key is sealed anew first.
    ///
    /// - Throws: `damaged` when neither key is the database's.
    static func keys(
        of database: Database,
        under root: SymmetricKey,
        orElse earlier: SymmetricKey?
    ) throws(StorageError) -> RowKeys {
        guard let present = try keys(of: database, under: root) else {
            guard let earlier, let old = try keys(of: database, under: earlier) else {
                throw .damaged(path: database.path, reason: "the root key is not the one that it was made with")
            }
            let new = RowKeys(root: root, earlier: old.naming, path: database.path)
            var resealing = Resealing(database, from: old, to: new, roots: (earlier, root))
            try resealing.run()
            return new
        }
        return present
    }

    /// The keys of the rows, if this is their root key. A database that was never used takes it for its own.
    private static func keys(of database: Database, under root: SymmetricKey) throws(StorageError) -> RowKeys? {
        let own = RowKeys(root: root, path: database.path)
        let sealed = try database.first(
            "SELECT value FROM records WHERE kind = ? AND name = ?",
            RootKeyRecord.kind,
            RootKeyRecord.name
        ) { row throws(StorageError) in try row.data(0) }
        guard let sealed else {
            try database.execute(
                "INSERT INTO records (kind, name, value) VALUES (?, ?, ?)",
                RootKeyRecord.kind,
                RootKeyRecord.name,
                try RootKeyRecord(earlierNaming: []).sealed(by: own.records)
            )
            return own
        }
        do throws(StorageError) {
            let record = try RootKeyRecord(sealed, by: own.records, path: database.path)
            return RowKeys(root: root, earlier: record.earlierNaming, path: database.path)
        } catch .damaged {
            return nil
        }
    }
}
