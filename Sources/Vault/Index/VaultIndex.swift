import FoundationEssentials
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import MildamWire

/// The index of a vault: a sealed row for each file, found by keys that do not show what they are of.
final class VaultIndex {
    static let fileName = "index.db"
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
            """
        ]
    )

    let database: Database
    let sealer: RowSealer
    private let naming: SymmetricKey

    /// Opens the index.
    ///
    /// - Parameter making: whether to make one where there is none: whoever opens a vault that has files would not see
    ///   that they are missing.
    init(in folder: String, under key: SymmetricKey, making: Bool) throws(StorageError) {
        let path = folder + "/" + Self.fileName
        let isThere = try WholeFile.isThere(stored: path)
        guard making || isThere else { throw .damaged(path: path, reason: "it is missing") }
        database = try Database(path: path, schema: Self.schema)
        sealer = RowSealer(rootKey: key, table: "entries", path: path)
        naming = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            info: Array("mildam/1 vault names".utf8),
            outputByteCount: 32
        )
    }

    // MARK: Entries

    /// Puts an entry in.
    ///
    /// - Returns: whether its name was free.
    func insert(_ entry: VaultEntry) throws(StorageError) -> Bool {
        let name = blinded(.name, Array(entry.name.description.utf8))
        try database.execute(
            """
            INSERT INTO entries (id, name, digest, generation, value) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO NOTHING
            """,
            entry.id.bytes,
            name,
            blinded(.digest, entry.digest),
            Int64(entry.generation),
            try sealed(entry, name)
        )
        return database.changes == 1
    }

    /// Puts an entry in the place of the one of its id.
    ///
    /// - Returns: whether its name was free, or its own.
    func update(_ entry: VaultEntry) throws(StorageError) -> Bool {
        let name = blinded(.name, Array(entry.name.description.utf8))
        let holder = try database.first("SELECT id FROM entries WHERE name = ?", name) {
            row throws(StorageError) in try row.bytes(0)
        }
        guard holder == nil || holder == entry.id.bytes else { return false }
        try database.execute(
            "UPDATE entries SET name = ?, generation = ?, value = ? WHERE id = ?",
            name,
            Int64(entry.generation),
            try sealed(entry, name),
            entry.id.bytes
        )
        return true
    }

    /// Puts an entry in the place of the one of its id, whose file is a new one.
    func updateRewritten(_ entry: VaultEntry) throws(StorageError) {
        try database.execute(
            "UPDATE entries SET generation = ?, checked = 0, value = ? WHERE id = ?",
            Int64(entry.generation),
            try sealed(entry, blinded(.name, Array(entry.name.description.utf8))),
            entry.id.bytes
        )
    }

    /// Takes an entry out.
    func delete(_ id: VaultEntryID) throws(StorageError) {
        try database.execute("DELETE FROM entries WHERE id = ?", id.bytes)
    }

    /// The entry of a name.
    func entry(named name: VaultName) throws(StorageError) -> VaultEntry? {
        try database.first(
            "SELECT id, name, generation, value FROM entries WHERE name = ?",
            blinded(.name, Array(name.description.utf8)),
            row: entry
        )
    }

    /// An entry of this content.
    func entry(ofDigest digest: [UInt8]) throws(StorageError) -> VaultEntry? {
        try database.first(
            "SELECT id, name, generation, value FROM entries WHERE digest = ? LIMIT 1",
            blinded(.digest, digest),
            row: entry
        )
    }

    /// Whether there is an entry of this id.
    func contains(_ id: VaultEntryID) throws(StorageError) -> Bool {
        try database.first("SELECT 1 FROM entries WHERE id = ?", id.bytes) { row throws(StorageError) in true } ?? false
    }

    /// How many there are.
    func count() throws(StorageError) -> Int {
        try database.first("SELECT count(*) FROM entries") { row throws(StorageError) in try row.int(0) } ?? 0
    }

    private func entry(_ row: borrowing Row) throws(StorageError) -> VaultEntry {
        var opener = try RowSealer.Opener(sealer)
        return try opened(try SealedEntry(row), by: &opener)
    }

    /// An entry as it is stored. The columns that it is found by are sealed with it.
    struct SealedEntry: Sendable {
        let id: [UInt8]
        let name: [UInt8]
        let generation: Int64
        let value: [UInt8]

        init(_ row: borrowing Row) throws(StorageError) {
            id = try row.bytes(0)
            name = try row.bytes(1)
            generation = try row.int64(2)
            value = try row.bytes(3)
        }
    }

    func opened(
        _ sealed: SealedEntry,
        by opener: inout RowSealer.Opener
    ) throws(StorageError) -> VaultEntry {
        guard let id = VaultEntryID(sealed.id), let generation = UInt32(exactly: sealed.generation) else {
            throw damaged("an entry's id or generation")
        }
        return try opener.open(
            sealed.value.span,
            column: "value",
            row: [.bytes(sealed.id), .bytes(sealed.name), .integer(sealed.generation)]
        ) { value throws(StorageError) in
            do throws(WireError) {
                return try VaultEntry(id: id, generation: generation, value: value)
            } catch {
                throw damaged("an entry")
            }
        }
    }

    private func sealed(_ entry: VaultEntry, _ name: [UInt8]) throws(StorageError) -> Data {
        try sealer.seal(
            Data(entry.value),
            column: "value",
            row: .bytes(entry.id.bytes),
            .bytes(name),
            .integer(Int64(entry.generation))
        )
    }

    func damaged(_ what: String) -> StorageError {
        .damaged(path: database.path, reason: "\(what) is not what it should be")
    }

    /// Entries as they are stored, in the order of their ids.
    func sealedEntries(behind id: [UInt8], atMost count: Int) throws(StorageError) -> [SealedEntry] {
        try database.rows(
            "SELECT id, name, generation, value FROM entries WHERE id > ? ORDER BY id LIMIT ?",
            id,
            Int64(count)
        ) { row throws(StorageError) in try SealedEntry(row) }
    }

    /// Takes out the rows that cannot be read.
    func deleteUnreadable() throws(StorageError) {
        let ids = try database.rows("SELECT id FROM entries") { row throws(StorageError) in try row.bytes(0) }
        for id in ids {
            do throws(StorageError) {
                _ = try database.first("SELECT id, name, generation, value FROM entries WHERE id = ?", id, row: entry)
            } catch .damaged {
                try database.execute("DELETE FROM entries WHERE id = ?", id)
            }
        }
    }

    /// Entries whose files are for another identity than this one.
    func entries(notOf generation: UInt32) throws(StorageError) -> [VaultEntry] {
        try database.rows(
            "SELECT id, name, generation, value FROM entries WHERE generation <> ?",
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

    /// Entries that were not found sound since a moment.
    func unchecked(since moment: Int64) throws(StorageError) -> [VaultEntry] {
        try database.rows("SELECT id, name, generation, value FROM entries WHERE checked < ?", moment, row: entry)
    }

    /// Remembers that files were found sound.
    func check(_ ids: [VaultEntryID], at moment: Int64) throws(StorageError) {
        for id in ids { try database.execute("UPDATE entries SET checked = ? WHERE id = ?", moment, id.bytes) }
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

    /// Files that somebody who was interrupted left: whether each was being removed, and whether it has an entry.
    func unsettled() throws(StorageError) -> [(id: VaultEntryID, removing: Bool, hasEntry: Bool)] {
        try database.rows(
            "SELECT id, removing, EXISTS (SELECT 1 FROM entries WHERE entries.id = unsettled.id) FROM unsettled"
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
        var opener = try RowSealer.Opener(RowSealer(rootKey: earlier, table: "entries", path: database.path))
        try database.transaction { () throws(StorageError) in
            var last: [UInt8] = []
            while true {
                let rows = try sealedEntries(behind: last, atMost: 500)
                guard let end = rows.last else { return }
                for row in rows {
                    guard let entry = try? opened(row, by: &opener) else { continue }
                    let name = blinded(.name, Array(entry.name.description.utf8))
                    try database.execute(
                        "UPDATE entries SET name = ?, digest = ?, value = ? WHERE id = ?",
                        name,
                        blinded(.digest, entry.digest),
                        try sealed(entry, name),
                        row.id
                    )
                }
                last = end.id
            }
        }
        try database.truncateWAL()
    }

    // MARK: Keys that show nothing

    private enum Purpose: String {
        case name, digest
    }

    private func blinded(_ purpose: Purpose, _ bytes: [UInt8]) -> [UInt8] {
        let text = Array(purpose.rawValue.utf8) + [0] + bytes
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: naming).prefix(16))
    }
}
