import CSQLite
import Glibc
import MildamSystem

extension Schema {
    /// Makes the file unless there is one; either way its name is on the disk afterwards.
    func ensureFile(_ path: String) throws(StorageError) {
        guard try WholeFile.isThere(stored: path) else { return try createFile(path) }
        do throws(SystemError) {
            try Folder.synchronizeEntry(of: path)
        } catch {
            throw .io(error)
        }
    }

    /// Makes the file, whole and synced; leaves alone one that another process has just made.
    private func createFile(_ path: String) throws(StorageError) {
        let image = try emptyImage()
        do throws(SystemError) {
            do throws(SystemError) {
                try WholeFile.create(image.span, at: path)
            } catch  where error.code == EEXIST {
                try Folder.synchronize(Folder.parent(of: path))
            }
        } catch {
            throw error.isOutOfSpace ? .full(path: path) : .io(error)
        }
    }

    /// The bytes of a new file with the tables of the newest version.
    public func emptyImage() throws(StorageError) -> [UInt8] {
        var image = try reference(version: version).image()
        // The two format versions in the header: a write-ahead log is in use ("Database File Format", section 1.3.3),
        // so that no opening has to change the file.
        image.replaceSubrange(18..<20, with: [2, 2])
        return image
    }

    /// Checks that the file is this application's, of a version that is known, with the tables of that version.
    ///
    /// - Returns: its version.
    func verify(_ database: Database) throws(StorageError) -> Int {
        let path = database.path
        guard try database.number("PRAGMA page_count") > 0 else { throw .damaged(path: path, reason: "it is empty") }
        guard try database.number("PRAGMA application_id") == applicationID else { throw .notOurs(path: path) }
        let found = try database.number("PRAGMA user_version")
        guard found <= version else { throw .newerVersion(path: path, found: found, known: version) }
        guard found >= 1, try database.definitions() == reference(version: found).definitions() else {
            throw .damaged(path: path, reason: "its tables are not those of version \(found)")
        }
        return found
    }

    /// Brings the tables to the newest version, inside the caller's transaction.
    func migrate(_ database: Database) throws(StorageError) {
        // Read again: another process may have done it while this one waited for its turn.
        let found = try database.number("PRAGMA user_version")
        guard found < version else { return }
        for migration in migrations[max(found, 0)...] { try database.connection.script(migration) }
        try database.connection.script("PRAGMA user_version = \(version)")
    }

    /// A database in memory with the tables of a version.
    private func reference(version: Int) throws(StorageError) -> Database {
        let database = try Database(inMemory: "the schema")
        try database.connection.script("PRAGMA application_id = \(applicationID)")
        try Schema(applicationID: applicationID, migrations: Array(migrations.prefix(version))).migrate(database)
        return database
    }
}

extension Database {
    /// Checks that the tables are still those of the schema: another connection may have changed them since.
    ///
    /// - Throws: `.damaged`.
    public func checkTables() throws(StorageError) {
        guard try schema.verify(self) == schema.version else {
            throw .damaged(path: path, reason: "its tables are those of an older version")
        }
    }

    fileprivate func number(_ sql: StaticString) throws(StorageError) -> Int {
        try first(sql) { row throws(StorageError) in try row.int(0) } ?? 0
    }

    /// Each table, index and trigger as the file defines it, but for the tables of the query planner's statistics, by
    /// their whole definition: a trigger may lie under any name.
    fileprivate func definitions() throws(StorageError) -> [String] {
        try rows(
            """
            SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema
            WHERE NOT (type = 'table' AND name = tbl_name AND (
                (name = 'sqlite_stat1' AND sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat)')
                OR (name = 'sqlite_stat4' AND sql = 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')))
            ORDER BY 1
            """
        ) { row throws(StorageError) in try row.text(0) }
    }
}
