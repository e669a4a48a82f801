import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// The index of a vault: a sealed row for each name and each former version, found by keys that do not show what they
/// are of.
final class VaultIndex {
    static let fileName = "index.db"
    /// What the names of its files end with: the database's last, without which the log would be taken for the next one's.
    static let suffixes = ["-shm", "-journal", "-wal", ""]
    /// What stands in the place of the moment at which a file was found sound, where it was found damaged.
    static let foundDamaged: Int64 = -1
    private static let schema = Schema(
        applicationID: 0x4d69_6c56,  // "MilV"
        migrations: [
            """
            CREATE TABLE entries (
                id BLOB NOT NULL PRIMARY KEY,
                name BLOB NOT NULL UNIQUE,
                digest BLOB NOT NULL,
                generation INTEGER NOT NULL,
                checked INTEGER NOT NULL DEFAULT 0,
                value BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX entries_by_digest ON entries (digest);
            CREATE INDEX entries_by_generation ON entries (generation);

            -- Files that are being added, or removed.
            CREATE TABLE unsettled (id BLOB NOT NULL PRIMARY KEY, removing INTEGER NOT NULL) STRICT, WITHOUT ROWID;

            -- When the verification that goes on began; no row when none does.
            CREATE TABLE verification (began INTEGER NOT NULL) STRICT;
            """,
            """
            -- The file that has the content, where its name is not the row's id: content is stored once.
            ALTER TABLE entries ADD COLUMN file BLOB;
            -- The entry that had this content before; no value for what is present.
            ALTER TABLE entries ADD COLUMN entry BLOB;
            CREATE INDEX entries_by_file ON entries (file) WHERE file IS NOT NULL;
            CREATE INDEX entries_by_entry ON entries (entry) WHERE entry IS NOT NULL;

            -- The files of the copy of the names, and their sizes; 0 while names may be missing here that the copy has.
            CREATE TABLE names (number INTEGER NOT NULL PRIMARY KEY, size INTEGER NOT NULL) STRICT;
            """,
        ]
    )

    let database: Database
    let sealer: EntrySealer

    /// Opens the index.
    ///
    /// - Parameter making: whether to make one where there is none: whoever opens a vault that has files would not see
    ///   that they are missing.
    init(in folder: String, under key: SymmetricKey, making: Bool) throws(StorageError) {
        let path = folder + "/" + Self.fileName
        // SQLite follows links: what it changes would be somebody's.
        for suffix in Self.suffixes where WholeFile.isLink(path + suffix) {
            throw .damaged(path: path + suffix, reason: "it is a link")
        }
        let isThere = try WholeFile.isThere(stored: path)
        guard making || isThere else { throw .damaged(path: path, reason: "it is missing") }
        database = try Database(path: path, schema: Self.schema)
        sealer = EntrySealer(key, path)
    }

    /// The bytes of an index of nothing.
    static func emptyImage() throws(StorageError) -> [UInt8] { try schema.emptyImage() }

    // MARK: Entries

    /// Puts an entry in.
    ///
    /// - Returns: whether its name was free.
    func insert(_ entry: VaultEntry) throws(StorageError) -> Bool { try insert(try sealer.row(of: entry)) }

    /// Puts an entry in that was sealed before.
    ///
    /// - Returns: whether its name was free.
    func insert(_ row: EntryRow) throws(StorageError) -> Bool {
        try database.execute(
            """
            INSERT INTO entries (id, name, digest, generation, value, file, entry) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO NOTHING
            """,
            row.entry.id.bytes,
            row.name,
            row.digest,
            Int64(row.entry.generation),
            row.value,
            row.file,
            row.former
        )
        return database.changes == 1
    }

    /// Puts an entry in the place of the one of its id. What it says of the content may be another's: it was not checked
    /// then.
    ///
    /// - Returns: whether its name was free, or its own.
    func update(_ entry: VaultEntry) throws(StorageError) -> Bool {
        let row = try sealer.row(of: entry)
        let holder = try database.first("SELECT id FROM entries WHERE name = ?", row.name) {
            row throws(StorageError) in try row.bytes(0)
        }
        guard holder == nil || holder == entry.id.bytes else { return false }
        try database.execute(
            """
            UPDATE entries SET checked = CASE WHEN digest = ?2 AND file IS ?5 THEN checked ELSE 0 END,
                name = ?1, digest = ?2, generation = ?3, value = ?4, file = ?5 WHERE id = ?6
            """,
            row.name,
            row.digest,
            Int64(entry.generation),
            row.value,
            row.file,
            entry.id.bytes
        )
        return true
    }

    /// Puts an entry in the place of the one of its id, whose file is a new one. What was found damaged is damaged still: a
    /// new header mends no content.
    func updateRewritten(_ entry: VaultEntry) throws(StorageError) {
        let row = try sealer.row(of: entry)
        try database.execute(
            "UPDATE entries SET generation = ?, checked = min(checked, 0), value = ? WHERE id = ?",
            Int64(entry.generation),
            row.value,
            entry.id.bytes
        )
    }

    /// Takes an entry, or a former version, out.
    func delete(_ id: VaultEntryID) throws(StorageError) {
        try database.execute("DELETE FROM entries WHERE id = ?", id.bytes)
    }

    /// The entry of a name.
    func entry(named name: VaultName) throws(StorageError) -> VaultEntry? {
        try database.first(
            "SELECT id, name, generation, value, file, entry FROM entries WHERE name = ?",
            sealer.key(of: name),
            row: entry
        )
    }

    /// What has a name.
    struct Holder {
        let entry: VaultEntry
        /// Whether its file was found damaged, and has not been found sound since.
        let isDamaged: Bool
    }

    /// The entry of a name, with what is known of its file.
    func holder(of name: VaultName) throws(StorageError) -> Holder? {
        try database.first(
            "SELECT id, name, generation, value, file, entry, checked FROM entries WHERE name = ?",
            sealer.key(of: name)
        ) { row throws(StorageError) in
            Holder(entry: try entry(row), isDamaged: try row.int64(6) < 0)
        }
    }

    /// An entry or a former version of this content.
    ///
    /// - Parameter key: what its digest is found by.
    func entry(ofDigest digest: [UInt8], key: [UInt8]) throws(StorageError) -> VaultEntry? {
        let found = try database.first(
            "SELECT id, name, generation, value, file, entry FROM entries WHERE digest = ? LIMIT 1",
            key,
            row: entry
        )
        // What it is found by stands outside of the seal.
        return found?.digest == digest ? found : nil
    }

    /// The former versions of an entry, the newest first.
    func versions(of id: VaultEntryID) throws(StorageError) -> [VaultEntry] {
        let versions = try database.rows(
            "SELECT id, name, generation, value, file, entry FROM entries WHERE entry = ?",
            id.bytes,
            row: entry
        )
        return versions.sorted { one, other in
            let (moment, others) = (one.replaced ?? 0, other.replaced ?? 0)
            return moment == others ? VaultEntryID.precedes(one.id, other.id) : moment > others
        }
    }

    /// The entries and former versions that have a file.
    func entries(ofFile file: VaultEntryID) throws(StorageError) -> [VaultEntry] {
        try database.rows(
            """
            SELECT id, name, generation, value, file, entry FROM entries WHERE id = ?1 AND file IS NULL
            UNION ALL SELECT id, name, generation, value, file, entry FROM entries WHERE file = ?1
            """,
            file.bytes,
            row: entry
        )
    }

    /// Whether anything has this file's content.
    func refers(to file: VaultEntryID) throws(StorageError) -> Bool {
        try database.first(
            """
            SELECT EXISTS (SELECT 1 FROM entries WHERE id = ?1 AND file IS NULL)
                OR EXISTS (SELECT 1 FROM entries WHERE file = ?1)
            """,
            file.bytes
        ) { row throws(StorageError) in try row.int(0) == 1 } ?? false
    }

    /// Whether there is a row of this id.
    func contains(_ id: VaultEntryID) throws(StorageError) -> Bool {
        try database.first("SELECT 1 FROM entries WHERE id = ?", id.bytes) { row throws(StorageError) in true } ?? false
    }

    /// Whether there is no row.
    func isEmpty() throws(StorageError) -> Bool {
        try database.first("SELECT 1 FROM entries LIMIT 1") { row throws(StorageError) in true } == nil
    }

    /// How many files there are.
    func fileCount() throws(StorageError) -> Int {
        try database.first("SELECT count(DISTINCT coalesce(file, id)) FROM entries") {
            row throws(StorageError) in try row.int(0)
        } ?? 0
    }

    private func entry(_ row: borrowing Row) throws(StorageError) -> VaultEntry {
        var opener = try EntryOpener(sealer)
        var rows = SealedEntries()
        try rows.append(row)
        return try opener.open(rows.rows[0], of: rows)
    }

    func damaged(_ what: String) -> StorageError {
        .damaged(path: database.path, reason: "\(what) is not what it should be")
    }

    /// Appends entries as they are stored, in the order of their ids, with the former versions or without.
    func read(
        _ rows: inout SealedEntries,
        behind id: [UInt8],
        atMost count: Int,
        formerToo: Bool
    ) throws(StorageError) {
        if formerToo {
            try database.forEach(
                "SELECT id, name, generation, value, file, entry FROM entries WHERE id > ? ORDER BY id LIMIT ?",
                id,
                Int64(count)
            ) { row throws(StorageError) in
                try rows.append(row)
                return true
            }
        } else {
            try database.forEach(
                """
                SELECT id, name, generation, value, file, entry FROM entries
                WHERE id > ? AND entry IS NULL ORDER BY id LIMIT ?
                """,
                id,
                Int64(count)
            ) { row throws(StorageError) in
                try rows.append(row)
                return true
            }
        }
    }

    /// Takes out the rows that cannot be read.
    ///
    /// - Returns: how many they were.
    func deleteUnreadable() throws(StorageError) -> Int {
        var count = 0
        let ids = try database.rows("SELECT id FROM entries") { row throws(StorageError) in try row.bytes(0) }
        for id in ids {
            do throws(StorageError) {
                _ = try database.first(
                    "SELECT id, name, generation, value, file, entry FROM entries WHERE id = ?",
                    id,
                    row: entry
                )
            } catch .damaged {
                try database.execute("DELETE FROM entries WHERE id = ?", id)
                count += 1
            }
        }
        return count
    }

    /// Entries and former versions whose files are for another identity than this one.
    func entries(notOf generation: UInt32) throws(StorageError) -> [VaultEntry] {
        try database.rows(
            "SELECT id, name, generation, value, file, entry FROM entries WHERE generation <> ?",
            Int64(generation),
            row: entry
        )
    }

    // MARK: Verification

    /// The latest moment at which a file was found sound.
    func lastCheck() throws(StorageError) -> Int64 {
        try database.first("SELECT max(checked) FROM entries") { row throws(StorageError) in
            try row.isNull(0) ? 0 : row.int64(0)
        } ?? 0
    }

    /// When the verification that goes on began; `nil` when none does.
    func verification() throws(StorageError) -> Int64? {
        try database.first("SELECT began FROM verification") { row throws(StorageError) in try row.int64(0) }
    }

    /// Begins a verification, in the place of one that was going on.
    func beginVerification(at moment: Int64) throws(StorageError) {
        try endVerification()
        try database.execute("INSERT INTO verification (began) VALUES (?)", moment)
    }

    /// Nothing is left to verify.
    func endVerification() throws(StorageError) {
        try database.execute("DELETE FROM verification")
    }

    /// Entries and former versions that were not found sound since a moment.
    func unchecked(since moment: Int64) throws(StorageError) -> [VaultEntry] {
        try database.rows(
            "SELECT id, name, generation, value, file, entry FROM entries WHERE checked < ?",
            moment,
            row: entry
        )
    }

    /// Remembers that files were found sound.
    func check(_ ids: [VaultEntryID], at moment: Int64) throws(StorageError) {
        for id in ids { try database.execute("UPDATE entries SET checked = ? WHERE id = ?", moment, id.bytes) }
    }

    /// When the file of an entry, or of a former version, was found sound; 0 for never, and ``foundDamaged``.
    func lastCheck(of id: VaultEntryID) throws(StorageError) -> Int64 {
        try database.first("SELECT checked FROM entries WHERE id = ?", id.bytes) { row throws(StorageError) in
            try row.int64(0)
        } ?? 0
    }

    /// The file of an entry, which may have been found damaged, is sound.
    func forgetDamage(of id: VaultEntryID) throws(StorageError) {
        try database.execute("UPDATE entries SET checked = 0 WHERE id = ? AND checked < 0", id.bytes)
    }

    // MARK: Unsettled files

    /// Remembers that files are about to be added or removed.
    func unsettle(_ ids: [VaultEntryID], removing: Bool) throws(StorageError) {
        for id in ids {
            try database.execute(
                "INSERT OR REPLACE INTO unsettled (id, removing) VALUES (?, ?)",
                id.bytes,
                removing ? 1 : 0
            )
        }
    }

    /// Forgets it: they have their names, or are gone.
    func settle(_ ids: [VaultEntryID]) throws(StorageError) {
        for id in ids { try database.execute("DELETE FROM unsettled WHERE id = ?", id.bytes) }
    }

    /// Files that somebody who was interrupted left: whether each was being removed, and whether anything has it.
    func unsettled() throws(StorageError) -> [(id: VaultEntryID, removing: Bool, hasEntry: Bool)] {
        try database.rows(
            """
            SELECT id, removing, EXISTS (SELECT 1 FROM entries WHERE entries.id = unsettled.id AND entries.file IS NULL)
                OR EXISTS (SELECT 1 FROM entries WHERE entries.file = unsettled.id) FROM unsettled
            """
        ) { row throws(StorageError) in
            guard let id = VaultEntryID(try row.bytes(0)) else { throw damaged("a file's id") }
            return (id, try row.int(1) == 1, try row.int(2) == 1)
        }
    }

    /// Forgets all of them.
    func settleAll() throws(StorageError) {
        try database.execute("DELETE FROM unsettled")
    }

    // MARK: Another key

    /// Seals every row that lies under another key under this one, in one transaction. What opens under neither stays as
    /// it is: damaged.
    func sealAnew(from earlier: SymmetricKey) throws(StorageError) {
        var opener = try EntryOpener(EntrySealer(earlier, database.path))
        try database.transaction { () throws(StorageError) in
            var (last, rows) = ([UInt8](), SealedEntries())
            while true {
                rows.removeAll()
                try read(&rows, behind: last, atMost: 500, formerToo: true)
                for row in rows.rows {
                    let id = Array(rows.bytes[row.id])
                    // In a file that somebody has changed they might go round for ever.
                    guard last.lexicographicallyPrecedes(id) else { throw damaged("the order of entries") }
                    last = id
                    guard let entry = try? opener.open(row, of: rows) else { continue }
                    let anew = try sealer.row(of: entry)
                    try database.execute(
                        "UPDATE entries SET name = ?, digest = ?, value = ? WHERE id = ?",
                        anew.name,
                        anew.digest,
                        anew.value,
                        last
                    )
                }
                if rows.rows.isEmpty { return }
            }
        }
        try database.truncateWAL()
    }

    // MARK: The copy of the names

    /// The files of the copy of the names, by their numbers, and their sizes in bytes.
    func names() throws(StorageError) -> [Int: Int] {
        var files: [Int: Int] = [:]
        try database.forEach("SELECT number, size FROM names WHERE number > 0") { row throws(StorageError) in
            let (number, size) = (try row.int(0), try row.int(1))
            files[number] = size
            return true
        }
        return files
    }

    /// One more file belongs to the copy of the names.
    func addNames(_ number: Int, size: Int) throws(StorageError) {
        try database.execute("INSERT INTO names (number, size) VALUES (?, ?)", number, size)
    }

    /// The copy of the names is to be written anew.
    func forgetNames() throws(StorageError) {
        try database.execute("DELETE FROM names WHERE number > 0")
    }

    /// Whether names may be missing that the copy still has: a repair was begun, and not finished. A file of number 0 says so.
    func isRecovering() throws(StorageError) -> Bool {
        try database.first("SELECT 1 FROM names WHERE number = 0") { row throws(StorageError) in true } ?? false
    }

    /// Names may be missing from now on.
    func beginRecovery() throws(StorageError) {
        try database.execute("INSERT OR IGNORE INTO names (number, size) VALUES (0, 0)")
    }

    /// No name is missing any more.
    func endRecovery() throws(StorageError) {
        try database.execute("DELETE FROM names WHERE number = 0")
    }
}
